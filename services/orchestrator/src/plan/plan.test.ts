// Any history of writes, reports and accidents, played against the plan with a model of the database around it.
import { mayFollow } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Action, Memory, Observed, ObservedInstance, ObservedRevision, SaidEvent } from './observed.ts';
import { plan } from './plan.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Instance = Mutable<ObservedInstance>;

const mostLive = 20;

/** The resource as the api and the orchestrator keep it, with nothing else around it. */
class World {
  now = 1_000_000;
  status = 'DEPLOYING';
  generation = 1;
  isEnabled = true;
  chosen: string | undefined;
  canary: string | undefined;
  memory: Memory = {};
  isRemoved = false;
  /** Runners have room. */
  hasRoom = true;
  revisions: Mutable<ObservedRevision>[] = [];
  instances: Instance[] = [];
  events: { type: string; status: string; message?: string | undefined; revision?: string | undefined }[] = [];
  #made = 0;

  constructor(count: number) {
    this.#addRevision(count, 'DEPLOYING');
    this.events.push({ type: 'deployment', status: 'DEPLOYING', message: 'Waiting for a runner.' });
  }

  get live(): Instance[] {
    return this.instances.filter(({ endedAt }) => endedAt === undefined);
  }

  get running(): Instance[] {
    return this.live.filter(({ desired }) => desired === 'running');
  }

  get target(): string | undefined {
    return this.revisions.some(({ id }) => id === this.chosen) ? this.chosen : this.revisions[0]?.id;
  }

  #addRevision(count: number, status: string): void {
    this.#made += 1;
    this.revisions.unshift({ id: `rev-${this.#made}`, status, count });
  }

  // What the api writes.

  deploy(count: number): void {
    if (this.isRemoved || this.status === 'DELETING') return;
    const wasNewest = this.chosen === this.revisions[0]?.id;
    this.#announce();
    this.#addRevision(count, this.status);
    if (wasNewest && this.chosen !== undefined) this.chosen = this.revisions[0]?.id;
    const kept = new Set([this.chosen, this.canary, ...this.live.map(({ revision }) => revision)]);
    this.revisions = this.revisions.filter(({ id }, index) => index < 5 || kept.has(id));
  }

  switchOn(isEnabled: boolean): void {
    if (this.isRemoved || this.status === 'DELETING' || isEnabled === this.isEnabled) return;
    this.isEnabled = isEnabled;
    this.#announce();
  }

  choose(role: 'chosen' | 'canary', index: number | undefined): void {
    if (this.isRemoved || this.status === 'DELETING') return;
    const id = index === undefined ? undefined : this.revisions[index % this.revisions.length]?.id;
    if (id === this[role]) return;
    this[role] = id;
    this.generation += 1;
  }

  delete(): void {
    if (this.isRemoved || this.status === 'DELETING') return;
    this.generation += 1;
    if (this.live.length === 0) this.isRemoved = true;
    else this.#say({ type: 'deactivation', status: 'DELETING', message: 'Deleted on request.' });
  }

  #announce(): void {
    this.generation += 1;
    const stopped = this.live.length > 0 ? 'DEACTIVATING' : 'DEACTIVATED';
    const status = this.isEnabled ? 'DEPLOYING' : stopped;
    // The api does not say a second time that something is off while it is redeployed.
    if (mayFollow(this.status, status)) this.#say({ type: 'deployment', status, message: 'Waiting for a runner.' });
    else this.status = 'DEACTIVATED';
  }

  // What runners report.

  report(index: number, state: 'pulling' | 'starting' | 'ready' | 'failed' | 'gone' | 'lost', message?: string): void {
    const instance = this.live[index % Math.max(1, this.live.length)];
    if (instance === undefined || (state === 'gone' && instance.desired === 'running')) return;
    instance.state = state;
    instance.message = message;
    if (state === 'ready') instance.readyAt ??= this.now;
    if (state === 'failed') instance.failedAt = this.now;
    if (state === 'lost') instance.desired = 'gone';
    if (state === 'gone' || state === 'lost') instance.endedAt = this.now;
  }

  makeRoom(hasRoom: boolean): void {
    this.hasRoom = hasRoom;
  }

  pass(ms: number): void {
    this.now += ms;
  }

  // What the orchestrator does.

  observe(): Observed {
    const { now, status, generation, isEnabled, chosen, canary, memory, revisions, instances } = this;
    const newestEvent = this.events.at(-1);
    return { now, status, generation, isEnabled, chosen, canary, memory, revisions, instances, newestEvent };
  }

  reconcile(): readonly Action[] {
    if (this.isRemoved) {
      for (const instance of this.running) instance.desired = 'gone';
      return [];
    }
    const actions = plan(structuredClone(this.observe()));
    const isWaiting = actions.some((action) => action.do === 'start') && !this.hasRoom;
    for (const action of actions) if (action.do !== 'note' || !isWaiting) this.#apply(action);
    this.now += 1;
    return actions;
  }

  #apply(action: Action): void {
    if (action.do === 'start' && this.hasRoom) {
      for (let n = 0; n < action.count; n += 1) {
        this.#made += 1;
        const id = `instance-${String(this.#made).padStart(6, '0')}`;
        this.instances.push({
          id,
          revision: action.revision,
          desired: 'running',
          state: 'placed',
          createdAt: this.now,
        });
      }
    }
    if (action.do === 'retire') {
      for (const instance of this.live) if (action.instances.includes(instance.id)) instance.desired = 'gone';
    }
    if (action.do === 'mark') {
      for (const revision of this.revisions) if (revision.id === action.revision) revision.status = action.status;
    }
    if (action.do === 'remember') this.memory = action.memory;
    if (action.do === 'say') this.#say(action.event);
    if (action.do === 'note') {
      expect(action.event.status).toBe(this.status);
      expect(action.event.message).not.toBe(this.events.at(-1)?.message);
      this.#say(action.event);
    }
    if (action.do === 'remove') {
      expect(this.status).toBe('DELETING');
      expect(this.live).toEqual([]);
      this.isRemoved = true;
    }
  }

  #say(event: Omit<SaidEvent, 'type'> & { type: string }): void {
    expect([this.status, event.status, mayFollow(this.status, event.status)]).toEqual([
      this.status,
      event.status,
      true,
    ]);
    this.status = event.status;
    this.events.push(event);
  }

  /** Time passes, there is room, everything starts and everything told to go goes; until nothing happens any more. */
  settle(): void {
    this.hasRoom = true;
    for (let round = 0; round < 100; round += 1) {
      const before = JSON.stringify(this);
      const actions = this.reconcile();
      for (const instance of this.live) {
        const index = this.live.indexOf(instance);
        if (instance.desired === 'gone') this.report(index, 'gone');
        else if (instance.state !== 'ready' && instance.state !== 'failed') this.report(index, 'ready');
      }
      const due = actions.flatMap((action) => (action.do === 'look-again' ? [action.at] : []));
      if (due.length > 0) this.now = Math.max(this.now, ...due);
      const after = JSON.stringify({ ...this, now: JSON.parse(before).now });
      if (after === before && due.length === 0) return;
    }
    throw new Error(`Does not settle: ${JSON.stringify(this, null, 1)}`);
  }
}

const index = fc.nat(9);
const steps: fc.Arbitrary<(world: World) => void> = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }).map((count) => (world: World) => world.deploy(count)) },
  { weight: 1, arbitrary: fc.boolean().map((on) => (world: World) => world.switchOn(on)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('chosen' as const, 'canary' as const), fc.option(index, { nil: undefined }))
      .map(
        ([role, which]) =>
          (world: World) =>
            world.choose(role, which),
      ),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        index,
        fc.constantFrom('pulling', 'starting', 'ready', 'failed', 'gone', 'lost'),
        fc.constantFrom('a', 'b'),
      )
      .map(
        ([which, state, message]) =>
          (world: World) =>
            world.report(which, state, message),
      ),
  },
  { weight: 8, arbitrary: fc.constant((world: World) => void world.reconcile()) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 90_000 }).map((ms) => (world: World) => world.pass(ms)) },
  { weight: 1, arbitrary: fc.boolean().map((hasRoom) => (world: World) => world.makeRoom(hasRoom)) },
);
const histories = fc.record({
  count: fc.integer({ min: 1, max: 3 }),
  steps: fc.array(steps, { maxLength: 40 }),
});
/** Legal statuses, legal notes and removal are checked by the world at each step. */
const play = ({ count, steps }: { count: number; steps: ((world: World) => void)[] }): World => {
  const world = new World(count);
  for (const step of steps) {
    step(world);
    expect(world.running.length).toBeLessThanOrEqual(mostLive);
    if (!world.isRemoved) expect(world.status).toBe(world.events.at(-1)?.status ?? world.status);
  }
  return world;
};

test('whatever happened, it settles: the target serves with its instances and nothing else runs, or it says what failed', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = play(history);
      world.settle();
      expect(world.reconcile()).toEqual([]);
      if (!world.isEnabled) {
        expect(world.status).toBe('DEACTIVATED');
        expect(world.live).toEqual([]);
        return;
      }
      expect(['DEPLOYED', 'FAILED']).toContain(world.status);
      expect(world.revisions.filter(({ status }) => status === 'DEPLOYING')).toEqual([]);
      const target = world.revisions.find(({ id }) => id === world.target);
      const counted = (id: string | undefined) => world.running.filter(({ revision }) => revision === id).length;
      if (target?.status === 'DEPLOYED') {
        expect(world.memory.activeRevision).toBe(target.id);
        expect(counted(target.id)).toBe(target.count);
      } else expect(world.status).toBe('FAILED');
      const traffic = new Set([world.target, world.memory.activeRevision, world.canary]);
      expect(world.running.filter(({ revision }) => !traffic.has(revision))).toEqual([]);
      expect(world.live).toEqual(world.running);
    }),
    { numRuns: 1_500 },
  );
});

test('while a target comes up, what served goes on serving', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 3 }), (history, count) => {
      const world = play(history);
      world.switchOn(true);
      world.choose('canary', undefined);
      world.settle();
      const serving = world.memory.activeRevision;
      const held = world.running.filter(({ revision }) => revision === serving).map(({ id }) => id);
      world.choose('chosen', undefined);
      world.deploy(count);
      for (let round = 0; round < 3; round += 1) {
        world.reconcile();
        expect(world.memory.activeRevision).toBe(serving);
        const running = world.running.filter(({ revision }) => revision === serving);
        expect(running.map(({ id }) => id)).toEqual(held);
      }
      const started = world.live.findIndex(({ revision }) => revision === world.target);
      world.report(started, 'ready');
      world.reconcile();
      expect(world.memory.activeRevision).toBe(world.target);
      expect(world.status).toBe('DEPLOYED');
      const others = world.running.filter(({ revision }) => revision !== world.target);
      expect(others).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('a deployment that fails says why and leaves the old revision serving', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = play(history);
      world.switchOn(true);
      world.choose('chosen', undefined);
      world.choose('canary', undefined);
      world.settle();
      const serving = world.memory.activeRevision;
      const held = world.running.length;
      world.deploy(2);
      world.reconcile();
      world.report(
        world.live.findIndex(({ revision }) => revision === world.target),
        'failed',
        'The port stayed closed.',
      );
      world.reconcile();
      expect(world.events.at(-1)).toMatchObject({ status: 'FAILED', message: 'The port stayed closed.' });
      world.settle();
      expect(world.status).toBe('FAILED');
      expect(world.memory.activeRevision).toBe(serving);
      expect(world.running.length).toBe(held);
    }),
    { numRuns: 1_000 },
  );
});

test('a delete ends with nothing, from every state', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = play(history);
      world.delete();
      world.settle();
      expect(world.isRemoved).toBe(true);
      expect(world.live).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('an instance that dies is replaced at once, then after 5 and 10 seconds, and three in a row that never came up are enough', () => {
  const world = new World(1);
  world.settle();
  const fail = (): void => {
    world.report(
      world.live.findIndex(({ desired }) => desired === 'running'),
      'failed',
      'Exit code 1.',
    );
    world.reconcile();
    world.report(
      world.live.findIndex(({ desired }) => desired === 'gone'),
      'gone',
    );
    world.reconcile();
  };
  const nextAt = (): number[] => world.reconcile().flatMap((action) => (action.do === 'look-again' ? [action.at] : []));
  fail();
  expect(world.running).toHaveLength(1);
  expect(world.events.at(-1)).toMatchObject({ type: 'infrastructure', status: 'DEPLOYED' });
  for (const pauseMs of [5_000, 10_000]) {
    const failedAt = world.now;
    fail();
    expect(world.running).toHaveLength(0);
    expect(nextAt()).toEqual([failedAt + pauseMs]);
    world.now = failedAt + pauseMs;
    world.reconcile();
    expect(world.running).toHaveLength(1);
  }
  fail();
  expect(world.status).toBe('FAILED');
  expect(world.events.at(-1)?.message).toContain('Exit code 1.');
  world.now += 3_600_000;
  world.settle();
  expect(world.running).toHaveLength(0);
  world.deploy(1);
  world.settle();
  expect(world.status).toBe('DEPLOYED');
});

test('a lost machine does not fail a deployment that was on its way', () => {
  const world = new World(1);
  world.reconcile();
  world.report(0, 'lost', 'Its machine has not been heard from.');
  world.reconcile();
  expect(world.status).toBe('DEPLOYING');
  world.settle();
  expect(world.status).toBe('DEPLOYED');
});
