// Random histories of writes, reports and accidents, played against the plan with a model of the database around it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { World } from '../../test/deployments/world-fixture.ts';

const maxLive = 20;
const index = fc.nat(9);
const steps: fc.Arbitrary<(world: World) => void> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.integer({ min: 0, max: 3 }).map((minInstances) => (world: World) => world.deploy(minInstances)),
  },
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
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(80), fc.integer({ min: 1, max: 90_000 })).map(
      ([requests, forMs]) =>
        (world: World) =>
          world.ask(requests, forMs),
    ),
  },
  { weight: 1, arbitrary: fc.boolean().map((hasRoom) => (world: World) => world.makeRoom(hasRoom)) },
);
const histories = fc.record({
  minInstances: fc.integer({ min: 0, max: 3 }),
  steps: fc.array(steps, { maxLength: 40 }),
});
/** The model itself checks legal statuses, legal notes and removal at each step. */
const play = ({ minInstances, steps }: { minInstances: number; steps: ((world: World) => void)[] }): World => {
  const world = new World(minInstances);
  for (const step of steps) {
    step(world);
    expect(world.running.length).toBeLessThanOrEqual(maxLive);
    if (!world.isRemoved) expect(world.status).toBe(world.events.at(-1)?.status ?? world.status);
  }
  return world;
};

test('after any history a deployment becomes stable: only the target and the canary run, or an event says what failed', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = play(history);
      world.runUntilStable();
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
        expect(world.record.activeRevision).toBe(target.id);
        expect(counted(target.id)).toBe(target.minInstances);
      } else expect(world.status).toBe('FAILED');
      const traffic = new Set([world.target, world.record.activeRevision, world.canary]);
      expect(world.running.filter(({ revision }) => !traffic.has(revision))).toEqual([]);
      expect(world.live).toEqual(world.running);
    }),
    { numRuns: 1_500 },
  );
});

test('the serving revision keeps its instances while a new target starts', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 0, max: 3 }), (history, minInstances) => {
      const world = play(history);
      world.switchOn(true);
      world.choose('canary', undefined);
      world.runUntilStable();
      const serving = world.record.activeRevision;
      const held = world.running.filter(({ revision }) => revision === serving).map(({ id }) => id);
      world.choose('chosen', undefined);
      world.deploy(minInstances);
      for (let round = 0; round < 3; round += 1) {
        world.reconcile();
        expect(world.record.activeRevision).toBe(serving);
        const running = world.running.filter(({ revision }) => revision === serving);
        expect(running.map(({ id }) => id)).toEqual(held);
      }
      const started = world.live.findIndex(({ revision }) => revision === world.target);
      world.report(started, 'ready');
      world.reconcile();
      expect(world.record.activeRevision).toBe(world.target);
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
      world.runUntilStable();
      const serving = world.record.activeRevision;
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
      world.runUntilStable();
      expect(world.status).toBe('FAILED');
      expect(world.record.activeRevision).toBe(serving);
      expect(world.running.length).toBe(held);
    }),
    { numRuns: 1_000 },
  );
});

test('a delete leaves nothing, whatever the state before', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = play(history);
      world.delete();
      world.runUntilStable();
      expect(world.isRemoved).toBe(true);
      expect(world.live).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
