import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideTask, type TaskSituation, type TaskStep } from './decide-task.ts';

const fresh: TaskSituation = {
  isWanted: true,
  hasFile: false,
  hasResult: false,
  isGivenUp: false,
  container: 'absent',
  hasNetwork: false,
  elapsedMs: 0,
  timeoutMs: 60_000,
};
const step = (other: Partial<TaskSituation>): TaskStep => decideTask({ ...fresh, ...other });
const containers = ['absent', 'created', 'running', 'paused', 'exited'] as const;

describe('a task without a result', () => {
  test('is created when neither file nor container exist', () => {
    expect(step({})).toEqual({ do: 'create' });
  });

  test('is lost when its file exists and its container does not', () => {
    expect(step({ hasFile: true })).toEqual({ do: 'lose' });
  });

  test('is started when its container was only created', () => {
    for (const hasFile of [true, false])
      expect(step({ hasFile, container: 'created', hasNetwork: true })).toEqual({ do: 'start' });
  });

  test('gets a new container when the network of one that never ran is gone', () => {
    expect(step({ hasFile: true, container: 'created', hasNetwork: false })).toEqual({ do: 'discard' });
  });

  test('runs until its deadline, with or without its network', () => {
    const running = { hasFile: true, container: 'running' } as const;
    expect(step({ ...running, elapsedMs: 0 })).toEqual({ do: 'wait', forMs: 60_000 });
    expect(step({ ...running, elapsedMs: 59_999 })).toEqual({ do: 'wait', forMs: 1 });
    expect(step({ ...running, elapsedMs: 60_000 })).toEqual({ do: 'time-out' });
    expect(step({ ...running, elapsedMs: 1e9 })).toEqual({ do: 'time-out' });
  });

  test('is unpaused', () => {
    expect(step({ hasFile: true, container: 'paused' })).toEqual({ do: 'unpause' });
  });

  test('has ended when its container has exited, with or without a file', () => {
    for (const hasFile of [true, false]) expect(step({ hasFile, container: 'exited' })).toEqual({ do: 'end' });
  });
});

describe('a task with a result', () => {
  const done = { hasFile: true, hasResult: true } as const;

  test('is stopped if it still runs', () => {
    for (const container of ['running', 'paused'] as const)
      expect(step({ ...done, container })).toEqual({ do: 'stop' });
  });

  test('is reported, and its container stays', () => {
    for (const container of ['absent', 'created', 'exited'] as const)
      expect(step({ ...done, container })).toEqual({ do: 'end' });
  });

  test('frees its disk space when the disk watch has given it up', () => {
    for (const container of containers)
      expect(step({ ...done, container, isGivenUp: true })).toEqual({ do: container === 'absent' ? 'end' : 'erase' });
  });
});

test('a task that is no longer wanted is removed in any state', () => {
  for (const container of containers)
    for (const hasFile of [true, false])
      for (const hasResult of [true, false])
        expect(step({ isWanted: false, container, hasFile, hasResult })).toEqual({ do: 'remove' });
});

/**
 * A model of the machine. `doStep` does what the worker does, one effect at a time, so that a kill can come between any
 * two.
 */
class ModelMachine {
  container: TaskSituation['container'] = 'absent';
  hasNetwork = false;
  hasFile = false;
  isEndSaved = false;
  runs = 0;
  elapsedMs = 0;
  // Memory of the runner's process.
  isEndKnown = false;
  isGivenUp = false;

  readonly #effects: { readonly [Do in TaskStep['do']]: readonly (() => void)[] } = {
    create: [() => this.#mark(), () => this.#create(), () => this.#start()],
    start: [() => this.#mark(), () => this.#start()],
    discard: [() => this.#unmark(), () => this.vanish()],
    unpause: [() => this.#set('running')],
    wait: [],
    'time-out': [() => this.#know(), () => this.#saveEnd()],
    lose: [() => this.#know(), () => this.#saveEnd()],
    stop: [() => this.#set('exited')],
    erase: [() => this.#saveEnd(), () => this.vanish()],
    end: [() => this.#know()],
    remove: [],
  };

  doStep(effects: number, isEngineAway: boolean): TaskStep {
    const next = step({
      hasFile: this.hasFile,
      hasResult: this.isEndKnown,
      isGivenUp: this.isGivenUp,
      container: this.container,
      hasNetwork: this.hasNetwork,
      elapsedMs: this.elapsedMs,
    });
    if (next.do === 'create' && isEngineAway) {
      this.#mark();
      this.#unmark();
    } else for (const effect of this.#effects[next.do].slice(0, effects)) effect();
    return next;
  }

  restartRunner(): void {
    this.isEndKnown = this.isEndSaved;
    this.isGivenUp = false;
  }

  giveUp(): void {
    this.isGivenUp = true;
    this.#know();
  }

  exit(): void {
    if (this.container === 'running') this.#set('exited');
  }

  vanish(): void {
    this.container = 'absent';
    this.hasNetwork = false;
  }

  #mark(): void {
    this.hasFile = true;
  }

  #unmark(): void {
    this.hasFile = false;
    this.isEndSaved = false;
  }

  #create(): void {
    this.container = 'created';
    this.hasNetwork = true;
  }

  #start(): void {
    this.container = 'running';
    this.runs += 1;
  }

  #set(container: TaskSituation['container']): void {
    this.container = container;
  }

  #know(): void {
    this.isEndKnown = true;
  }

  #saveEnd(): void {
    this.hasFile = true;
    this.isEndSaved = true;
  }
}

const eventArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.record({ event: fc.constant('step' as const), isEngineAway: fc.boolean() }) },
  // The runner is killed after this many effects of a step.
  { weight: 3, arbitrary: fc.record({ event: fc.constant('kill' as const), effects: fc.nat({ max: 3 }) }) },
  fc.record({ event: fc.constantFrom('exit', 'vanish', 'lose network', 'pause', 'give up', 'deadline') }),
);

test('whatever is killed or lost in between, the process of a task runs at most once', () => {
  fc.assert(
    fc.property(fc.array(eventArbitrary, { maxLength: 40 }), (events) => {
      const machine = new ModelMachine();
      for (const each of events) {
        const before = machine.runs;
        if (each.event === 'step') {
          const next = machine.doStep(Number.POSITIVE_INFINITY, each.isEngineAway);
          if (before > 0) expect(['create', 'start', 'discard']).not.toContain(next.do);
        } else if (each.event === 'kill') {
          machine.doStep(each.effects, false);
          machine.restartRunner();
        } else if (each.event === 'exit') machine.exit();
        else if (each.event === 'vanish') machine.vanish();
        else if (each.event === 'lose network') machine.hasNetwork = false;
        else if (each.event === 'pause') {
          if (machine.container === 'running') machine.container = 'paused';
        } else if (each.event === 'give up') machine.giveUp();
        else machine.elapsedMs = fresh.timeoutMs;
        expect(machine.runs).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('once nothing more is killed, every task ends', () => {
  fc.assert(
    fc.property(fc.array(eventArbitrary, { maxLength: 20 }), (events) => {
      const machine = new ModelMachine();
      for (const each of events) {
        if (each.event === 'kill') {
          machine.doStep(each.effects, false);
          machine.restartRunner();
        } else if (each.event === 'vanish') machine.vanish();
        else if (each.event === 'give up') machine.giveUp();
        else if (each.event === 'lose network') machine.hasNetwork = false;
      }
      machine.elapsedMs = fresh.timeoutMs;
      const steps = Array.from({ length: 8 }, () => machine.doStep(Number.POSITIVE_INFINITY, false).do);
      expect(steps.at(-1)).toBe('end');
    }),
  );
});
