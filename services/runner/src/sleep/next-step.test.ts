import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isExpired,
  maxSilences,
  nextStep,
  reportEveryMs,
  type SleepRules,
  type SleepStep,
  unusedMs,
} from './next-step.ts';
import {
  heldPauseMs,
  isInUse,
  newSleepState,
  nextState,
  type SleepEvent,
  type SleepState,
  silentPauseMs,
} from './sleep-state.ts';

const rules: SleepRules = { idleMs: 15_000, expiresIdleMs: undefined };
const told = { is: 'reported', isAwake: true, isExpired: false } as const;

function at(nowMs: number, ...events: SleepEvent[]): SleepState {
  return events.reduce((state, each) => nextState(state, each, nowMs), newSleepState(0, 0));
}

describe('by example', () => {
  test('after a start of the runner a sandbox is checked first, and a frozen one stays asleep', () => {
    expect(nextStep(at(0), rules, 0)).toEqual({ do: 'look' });
    const asleep = nextState(at(0, { is: 'found', isFrozen: true }), { ...told, isAwake: false }, 0);
    expect(nextStep(asleep, rules, 1e9)).toEqual({ do: 'rest', untilMs: Number.POSITIVE_INFINITY });
  });

  test('after the idle time the guest is asked, and with its consent the sandbox is frozen', () => {
    const awake = at(0, { is: 'found', isFrozen: false }, told);
    expect(nextStep(awake, rules, 14_999)).toEqual({ do: 'rest', untilMs: 15_000 });
    expect(nextStep(awake, rules, 15_000)).toEqual({ do: 'ask' });
    const agreed = nextState(awake, { is: 'consented', askedAtMs: 15_000 }, 15_001);
    expect(nextStep(agreed, rules, 15_001)).toEqual({ do: 'freeze' });
  });

  test('a keepAlive process keeps the sandbox awake until the idle time after its end', () => {
    const held = nextState(at(0, { is: 'found', isFrozen: false }, told), { is: 'held' }, 15_000);
    expect(nextStep(held, rules, 15_000)).toEqual({ do: 'rest', untilMs: 15_000 + heldPauseMs });
    const agreed = nextState(held, { is: 'consented', askedAtMs: 20_000 }, 20_000);
    expect(nextStep(agreed, rules, 20_000)).toEqual({ do: 'rest', untilMs: 30_000 });
    expect(nextStep(agreed, rules, 30_000)).toEqual({ do: 'ask' });
    expect(nextStep(nextState(agreed, { is: 'consented', askedAtMs: 30_000 }, 30_000), rules, 30_000)).toEqual({
      do: 'freeze',
    });
  });

  test('a sandbox whose guest does not answer three times is frozen', () => {
    let state = at(0, { is: 'found', isFrozen: false }, told);
    for (let silence = 1; silence <= maxSilences; silence += 1) {
      const nowMs = 15_000 + silence * silentPauseMs;
      expect(nextStep(state, rules, nowMs)).toEqual({ do: 'ask' });
      state = nextState(state, { is: 'silent' }, nowMs);
    }
    expect(nextStep(state, rules, 30_000)).toEqual({ do: 'freeze' });
  });

  test('a waiting caller wakes the sandbox; a lease alone does not', () => {
    const asleep = at(0, { is: 'found', isFrozen: true }, { ...told, isAwake: false }, { is: 'leases', count: 1 });
    expect(nextStep(asleep, rules, 1).do).toBe('rest');
    expect(nextStep(nextState(asleep, { is: 'openers', count: 1 }, 1), rules, 1)).toEqual({ do: 'thaw' });
  });

  test('consent of the guest is void after a new connection', () => {
    const used = at(10, { is: 'found', isFrozen: false }, told, { is: 'leases', count: 1 }, { is: 'leases', count: 0 });
    const late = nextState(used, { is: 'consented', askedAtMs: 5 }, 11);
    expect(nextStep(late, rules, 10 + 15_000)).toEqual({ do: 'ask' });
  });

  test('a requested sleep needs neither consent of the guest nor idle time', () => {
    const asked = at(0, { is: 'found', isFrozen: false }, told, { is: 'sleep asked' });
    expect(nextStep(asked, rules, 1)).toEqual({ do: 'freeze' });
    expect(nextStep(nextState(asked, { is: 'held' }, 1), rules, 1)).toEqual({ do: 'freeze' });
    expect(nextStep(nextState(asked, { is: 'leases', count: 1 }, 1), rules, 1).do).toBe('rest');
  });

  test('a sandbox beyond its idle lifetime is reported as expired once, asleep or awake', () => {
    const expiring = { ...rules, expiresIdleMs: 60_000 };
    for (const isFrozen of [true, false]) {
      const state = at(0, { is: 'found', isFrozen }, { ...told, isAwake: !isFrozen }, { is: 'held' });
      expect(nextStep(state, expiring, 59_999).do).not.toBe('report');
      expect(nextStep(state, expiring, 60_000)).toEqual({ do: 'report' });
      const known = nextState(state, { is: 'reported', isAwake: !isFrozen, isExpired: true }, 60_000);
      expect(nextStep(known, expiring, 60_001).do).not.toBe('report');
      const used = nextState(known, { is: 'leases', count: 1 }, 60_002);
      expect(isExpired(used, expiring, 1e9)).toBe(false);
      expect(unusedMs(used, 1e9)).toBe(0);
    }
  });

  test('the use of a sandbox is reported from time to time', () => {
    const used = nextState(at(0, { is: 'found', isFrozen: false }, told), { is: 'leases', count: 1 }, 10);
    expect(nextStep(used, rules, reportEveryMs - 1)).toEqual({ do: 'rest', untilMs: reportEveryMs });
    expect(nextStep(used, rules, reportEveryMs)).toEqual({ do: 'report' });
  });
});

/** An event from outside, the result of the step in progress, or a passage of time. */
type Turn =
  | { readonly by: 'world'; readonly happening: SleepEvent }
  | { readonly by: 'step'; readonly fails: boolean; readonly guest: 'agrees' | 'holds' | 'is silent' }
  | { readonly by: 'time'; readonly passesMs: number };

const turns: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({
    by: fc.constant('world' as const),
    happening: fc.oneof(
      fc.record({ is: fc.constant('leases' as const), count: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ is: fc.constant('openers' as const), count: fc.integer({ min: 0, max: 2 }) }),
      fc.constantFrom<SleepEvent>({ is: 'released' }, { is: 'managed' }, { is: 'managed' }, { is: 'used' }),
      fc.constantFrom<SleepEvent>({ is: 'sleep asked' }, { is: 'memory needed' }),
    ),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      by: fc.constant('step' as const),
      fails: fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0),
      guest: fc.constantFrom('agrees' as const, 'agrees' as const, 'holds' as const, 'is silent' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ by: fc.constant('time' as const), passesMs: fc.integer({ min: 0, max: 20_000 }) }),
  },
);

/** Model of a sandbox with a real frozen state and the step in progress. */
class World {
  state = newSleepState(0, 0);
  nowMs = 0;
  isFrozen: boolean;
  doing: { readonly step: Exclude<SleepStep['do'], 'rest' | 'report'>; readonly atMs: number } | undefined;
  readonly rules: SleepRules = { idleMs: 10_000, expiresIdleMs: 45_000 };
  steps = 0;

  constructor(isFrozen: boolean) {
    this.isFrozen = isFrozen;
  }

  take(turn: Turn): void {
    if (turn.by === 'world') this.happen(turn.happening);
    if (turn.by === 'time') this.nowMs += turn.passesMs;
    if (turn.by === 'step') this.end(turn);
    this.begin();
  }

  happen(happening: SleepEvent): void {
    this.state = nextState(this.state, happening, this.nowMs);
  }

  begin(): void {
    if (this.doing !== undefined) return;
    for (let tells = 0; tells < 3; tells += 1) {
      const step = nextStep(this.state, this.rules, this.nowMs);
      if (step.do === 'rest') {
        expect(step.untilMs).toBeGreaterThan(this.nowMs);
        return;
      }
      this.steps += 1;
      if (step.do !== 'report') {
        this.check(step.do);
        this.doing = { step: step.do, atMs: this.nowMs };
        return;
      }
      const hasExpired = isExpired(this.state, this.rules, this.nowMs);
      if (hasExpired) expect(this.state.leases).toBe(0);
      this.happen({ is: 'reported', isAwake: this.state.frozen === 'no', isExpired: hasExpired });
    }
    throw new Error('it tells without an end');
  }

  check(step: SleepStep['do']): void {
    const { state, nowMs, rules } = this;
    if (step === 'freeze') {
      expect(isInUse(state)).toBe(false);
      expect(state.frozen).toBe('no');
      const isForced = state.isSleepAsked || state.ignoresIdleTime;
      if (!isForced) expect(unusedMs(state, nowMs)).toBeGreaterThanOrEqual(rules.idleMs);
      if (!state.isSleepAsked) expect(state.mayFreeze || state.silences >= maxSilences).toBe(true);
    }
    if (step === 'thaw') {
      expect(state.openers > 0 || state.isReleased).toBe(true);
      expect(state.frozen).not.toBe('no');
    }
    // The believed state matches the real one.
    if (state.frozen !== 'unsure') expect(state.frozen === 'yes').toBe(this.isFrozen);
  }

  end({ fails, guest }: Extract<Turn, { by: 'step' }>): void {
    const { doing } = this;
    if (doing === undefined) return;
    this.doing = undefined;
    const { step, atMs } = doing;
    if (fails && step !== 'ask') {
      this.happen({ is: 'failed', pauseMs: 1_000 });
      return;
    }
    if (step === 'look') this.happen({ is: 'found', isFrozen: this.isFrozen });
    if (step === 'freeze' || step === 'thaw') {
      this.isFrozen = step === 'freeze';
      this.happen({ is: this.isFrozen ? 'frozen' : 'thawed' });
    }
    if (step === 'ask' && guest === 'agrees') this.happen({ is: 'consented', askedAtMs: atMs });
    if (step === 'ask' && guest === 'holds') this.happen({ is: 'held' });
    if (step === 'ask' && guest === 'is silent') this.happen({ is: 'silent' });
  }

  /** No more events from outside; every step succeeds. */
  settle(guest: 'agrees' | 'is silent' = 'agrees'): void {
    this.steps = 0;
    for (let round = 0; round < 200; round += 1) {
      this.end({ by: 'step', fails: false, guest });
      this.begin();
      if (this.doing === undefined) this.nowMs += 1_000;
    }
  }
}

const histories = fc.array(turns, { maxLength: 60 });

test('a sandbox in use is never frozen, is thawed only for a caller, and its known state is the real one', () => {
  fc.assert(
    fc.property(fc.boolean(), histories, (isFrozen, history) => {
      const world = new World(isFrozen);
      for (const turn of history) world.take(turn);
    }),
    { numRuns: 2_000 },
  );
});

test('after any events, waiting callers get in, and an unused sandbox falls asleep and is reported so', () => {
  fc.assert(
    fc.property(fc.boolean(), histories, fc.boolean(), (isFrozen, history, isSilent) => {
      const world = new World(isFrozen);
      for (const turn of history) world.take(turn);
      world.happen({ is: 'openers', count: 1 });
      world.settle();
      expect(world.isFrozen).toBe(false);
      world.happen({ is: 'openers', count: 0 });
      world.happen({ is: 'leases', count: 0 });
      world.happen({ is: 'managed' });
      world.settle(isSilent ? 'is silent' : 'agrees');
      expect(world.isFrozen).toBe(true);
      expect(world.state.reported).toMatchObject({ isAwake: false, isExpired: true });
      // Bounded effort: a few questions, one freeze, a few reports.
      expect(world.steps).toBeLessThan(15);
    }),
    { numRuns: 1_000 },
  );
});

test('a released sandbox is awake and stays awake until it is managed again', () => {
  fc.assert(
    fc.property(fc.boolean(), histories, (isFrozen, history) => {
      const world = new World(isFrozen);
      for (const turn of history) world.take(turn);
      world.happen({ is: 'released' });
      world.settle();
      expect(world.isFrozen).toBe(false);
    }),
    { numRuns: 500 },
  );
});
