// Random histories of writes, reports and accidents, played against the plan with a model of the database around it.
// The model checks at each step that no empty sandbox replaces a used one, that at most one instance should run, and
// that no event follows the end.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lostAfterMs, SandboxWorld } from './world-fixture.ts';

type Step = (world: SandboxWorld) => void;

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Step>((world) => world.restart()) },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (on): Step =>
        (world) =>
          world.switchOn(on),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: undefined }).map(
      (ms): Step =>
        (world) =>
          world.setExpiry(ms),
    ),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom('pulling', 'starting', 'ready', 'ready', 'failed', 'gone'), fc.constantFrom('a', 'b'))
      .map(
        ([state, message]): Step =>
          (world) =>
            world.report(state, message),
      ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((world) => world.reportUnused()) },
  { weight: 2, arbitrary: fc.constant<Step>((world) => world.runnerLeaves()) },
  { weight: 2, arbitrary: fc.constant<Step>((world) => world.runnerReturns()) },
  { weight: 1, arbitrary: fc.constant<Step>((world) => world.runnerIsRemoved()) },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (hasRoom): Step =>
        (world) =>
          world.makeRoom(hasRoom),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 40_000 }).map(
      (ms): Step =>
        (world) =>
          world.pass(ms),
    ),
  },
  { weight: 10, arbitrary: fc.constant<Step>((world) => void world.reconcile()) },
  { weight: 1, arbitrary: fc.constant<Step>((world) => world.delete()) },
);
const histories = fc.array(steps, { maxLength: 40 });
const pasts = fc.record({ isClaimed: fc.boolean(), history: histories });
const play = ({ isClaimed, history }: { isClaimed: boolean; history: readonly Step[] }): SandboxWorld => {
  const world = isClaimed ? SandboxWorld.claimed() : new SandboxWorld();
  for (const step of history) step(world);
  return world;
};

test('after any history a sandbox becomes stable: DEPLOYED with one instance, failed with a reason, or terminated without instances', () => {
  fc.assert(
    fc.property(pasts, (past) => {
      const world = play(past);
      world.runUntilStable();
      if (world.isTerminated) {
        expect(world.status).toBe('TERMINATED');
        expect(world.live).toEqual([]);
      } else if (!world.isEnabled) expect(world.status).toBe('DEACTIVATED');
      else if (world.status === 'FAILED') {
        expect(world.live).toEqual([]);
        expect(world.events.at(-1)?.message).not.toBe('');
      } else {
        expect(world.status).toBe('DEPLOYED');
        expect(world.live.map(({ boot, state }) => [boot, state])).toEqual([[`boot-${world.boot}`, 'ready']]);
      }
      const said = world.events.length;
      world.setExpiry(undefined);
      world.reconcile();
      expect(world.events).toHaveLength(said);
    }),
    { numRuns: 3_000 },
  );
});

test('an expired sandbox is terminated by the next run, exactly once, and nothing revives it', () => {
  fc.assert(
    fc.property(pasts, fc.integer({ min: 0, max: 5_000 }), histories, (before, lateMs, after) => {
      const world = play(before);
      world.setExpiry(1);
      world.pass(1 + lateMs);
      world.reconcile();
      expect(world.isTerminated).toBe(true);
      for (const step of after) step(world);
      world.runUntilStable();
      expect(world.live).toEqual([]);
      expect(world.events.filter(({ status }) => status === 'TERMINATED')).toHaveLength(1);
      expect(world.events.at(-1)?.status).toBe('TERMINATED');
    }),
    { numRuns: 2_000 },
  );
});

test('every run sets a timer for the moment at which a sandbox expires', () => {
  fc.assert(
    fc.property(pasts, fc.integer({ min: 10, max: 1_000_000 }), (past, ms) => {
      const world = play(past);
      if (world.isTerminated) return;
      world.setExpiry(ms);
      world.reconcile();
      if (!world.isTerminated) expect(world.armed).toContain(world.expiresAt);
    }),
    { numRuns: 1_000 },
  );
});

const used = (): SandboxWorld => {
  const world = new SandboxWorld();
  world.reconcile();
  world.report('ready', 'Up.');
  world.reconcile();
  expect(world.status).toBe('DEPLOYED');
  return world;
};

test('a sandbox whose runner returns keeps its instance, and events report the outage and the return', () => {
  const world = used();
  const [instance] = world.running;
  world.runnerLeaves();
  world.pass(lostAfterMs - 10);
  expect(world.reconcile().filter(({ do: what }) => what !== 'add-event')).toMatchObject([{ do: 'set-timer' }]);
  expect(world.status).toBe('DEPLOYED');
  world.runnerReturns();
  world.reconcile();
  expect(world.running).toEqual([instance]);
  expect(world.events.map(({ message }) => message).slice(-2)).toEqual([
    expect.stringContaining('cannot be reached until the machine is back'),
    'Its machine is back.',
  ]);
});

test('a deployed sandbox that its runner starts again stays DEPLOYED, and one event says so', () => {
  const world = used();
  const before = world.events.length;
  world.report('starting', 'It ended and is started again.');
  world.reconcile();
  world.reconcile();
  world.report('ready', 'Up.');
  world.reconcile();
  expect(world.events.slice(before)).toEqual([
    { type: 'deployment', status: 'DEPLOYED', message: 'It ended and is started again.' },
  ]);
});

test('a sandbox whose runner is away for too long fails with a reason, and a timer brings the moment', () => {
  const world = used();
  world.runnerLeaves();
  world.reconcile();
  world.now = Math.max(...world.armed);
  world.reconcile();
  expect(world.status).toBe('FAILED');
  expect(world.events.at(-1)).toMatchObject({ type: 'infrastructure', message: expect.stringContaining('is lost') });
  expect(world.live).toEqual([]);
  world.runUntilStable();
  expect(world.status).toBe('FAILED');
  world.restart();
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

test('a sandbox whose runner was removed fails with a reason, also when its instance has no row any more', () => {
  const world = used();
  world.runnerLeaves();
  world.runnerIsRemoved();
  world.reconcile();
  expect(world.events.at(-1)).toMatchObject({
    status: 'FAILED',
    message: expect.stringContaining('no longer belongs to this deployment'),
  });
});

test('a claimed sandbox needs no write, and is not started a second time when it fails', () => {
  const world = SandboxWorld.claimed();
  expect(world.reconcile()).toEqual([]);
  world.report('failed', 'Its disk is full.');
  world.runUntilStable();
  expect(world.events.at(-1)).toMatchObject({ status: 'FAILED', message: 'Its disk is full.' });
  expect(world.instances).toHaveLength(1);
});

test('a sandbox that was never ready is started on another runner when its runner is lost', () => {
  const world = new SandboxWorld();
  world.reconcile();
  world.runnerLeaves();
  world.reconcile();
  expect(world.running).toHaveLength(1);
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

test('a failed sandbox shows its instance’s message, and is not started again before its next boot', () => {
  const world = new SandboxWorld();
  world.reconcile();
  world.report('failed', 'The image does not exist. Check spec.runtime.image.');
  world.runUntilStable();
  expect(world.events.at(-1)).toMatchObject({ status: 'FAILED', message: expect.stringContaining('does not exist') });
  expect(world.instances).toHaveLength(1);
  world.restart();
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

test('a sandbox waits while no runner has room, and fails without an image with a message that names the setting', () => {
  const world = new SandboxWorld();
  world.hasRoom = false;
  world.reconcile();
  expect(world.status).toBe('DEPLOYING');
  world.fault = 'No image: set spec.runtime.image.';
  world.reconcile();
  expect(world.events.at(-1)).toMatchObject({ status: 'FAILED', message: world.fault });
});

test('a disabled sandbox keeps its instance, and is DEPLOYED again when it is enabled', () => {
  const world = used();
  const [instance] = world.running;
  world.switchOn(false);
  world.runUntilStable();
  expect(world.status).toBe('DEACTIVATED');
  world.switchOn(true);
  world.runUntilStable();
  expect([world.status, world.running]).toEqual(['DEPLOYED', [instance]]);
});

test('a sandbox that was idle for too long is terminated with the rule’s message; a report of an earlier boot does not count', () => {
  const world = used();
  world.reportUnused();
  world.restart();
  world.reconcile();
  expect(world.isTerminated).toBe(false);
  world.report('gone', 'Removed.');
  world.report('ready', 'Up.');
  world.reportUnused();
  world.reconcile();
  expect(world.events.at(-1)).toMatchObject({
    type: 'expiration',
    status: 'TERMINATED',
    message: 'Nobody has used it.',
  });
});
