import { defaultBrand } from '@berth/contract';
import { PlacementConfig } from '@berth/instances';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ObservedPools, type PoolPlan, planPools, type WarmInstance } from './plan.ts';
import { poolTargets } from './targets.ts';

const settings = { placement: PlacementConfig.parse({ runcFor: 'everything' }), brand: defaultBrand };
const targetsOf = (counts: Readonly<Record<string, number>>) =>
  poolTargets(
    {
      isolation: ['runc'],
      warm: Object.entries(counts).map(([image, count]) => ({ image, count })),
      warmLately: 0,
      recentUse: [],
    },
    settings,
  );

const waitingOnes: fc.Arbitrary<WarmInstance[]> = fc
  .array(
    fc
      .record({
        image: fc.constantFrom('a', 'b', 'gone'),
        state: fc.constantFrom('placed', 'starting', 'ready', 'ready', 'failed'),
        createdAt: fc.nat(1_000_000),
        laterMs: fc.nat(100_000),
      })
      .map(({ image, state, createdAt, laterMs }) => ({
        id: '',
        pool: `runc ${image}`,
        state,
        createdAt,
        ...(state === 'ready' ? { readyAt: createdAt + laterMs } : {}),
        ...(state === 'failed' ? { failedAt: createdAt + laterMs } : {}),
      })),
    { maxLength: 30 },
  )
  .map((instances) => instances.map((instance, index) => ({ ...instance, id: `i-${index}` })));
const observations: fc.Arbitrary<ObservedPools> = fc.record({
  now: fc.integer({ min: 1_100_000, max: 2_000_000 }),
  isPressed: fc.boolean(),
  targets: fc.record({ a: fc.nat(10), b: fc.nat(10) }).map(targetsOf),
  warm: waitingOnes,
});

const working = (warm: readonly WarmInstance[], pool: string): number =>
  warm.filter((each) => each.pool === pool && each.state !== 'failed').length;

test('a pool never exceeds its target, counting instances that still start, and no wanted instance is retired', () => {
  fc.assert(
    fc.property(observations, (observed) => {
      const { start, retire } = planPools(observed);
      const left = observed.warm.filter(({ id }) => !retire.includes(id));
      for (const { pool, count } of observed.targets) {
        const started = start.find(({ target }) => target.pool === pool)?.count ?? 0;
        const before = working(observed.warm, pool);
        expect(working(left, pool)).toBe(Math.min(before, count));
        expect(working(left, pool) + started).toBeLessThanOrEqual(count);
        const readyBefore = observed.warm.filter((each) => each.pool === pool && each.state === 'ready').length;
        const ready = left.filter((each) => each.pool === pool && each.state === 'ready').length;
        expect(ready).toBe(Math.min(readyBefore, count));
      }
      const pools = new Set(observed.targets.map(({ pool }) => pool));
      expect(left.filter(({ pool }) => !pools.has(pool))).toEqual([]);
      expect(new Set(retire).size).toBe(retire.length);
      if (observed.isPressed) expect(start).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('a pool without failures and pressure is filled by one plan', () => {
  fc.assert(
    fc.property(observations, (observed) => {
      const warm = observed.warm.filter(({ state }) => state !== 'failed');
      const { start } = planPools({ ...observed, isPressed: false, warm });
      for (const { pool, count } of observed.targets) {
        const started = start.find(({ target }) => target.pool === pool)?.count ?? 0;
        expect(Math.min(count, working(warm, pool)) + started).toBe(count);
      }
    }),
  );
});

/** Every started instance becomes ready or fails as `works` decides. */
function play(forMs: number, works: (now: number) => boolean, count = 8) {
  const targets = targetsOf({ a: count });
  let warm: WarmInstance[] = [];
  let tried = 0;
  let now = 1_000_000;
  const end = now + forMs;
  for (let round = 0; round < 10_000 && now < end; round += 1) {
    const plan: PoolPlan = planPools({ now, isPressed: false, targets, warm });
    warm = warm.filter(({ id }) => !plan.retire.includes(id));
    for (const { target, count: started } of plan.start) {
      for (let n = 0; n < started; n += 1) {
        tried += 1;
        const outcome = works(now) ? { state: 'ready', readyAt: now + 100 } : { state: 'failed', failedAt: now + 100 };
        warm.push({ id: `i-${tried}`, pool: target.pool, createdAt: now, ...outcome });
      }
    }
    now = Math.max(now + 100, plan.start.length > 0 ? now + 100 : (plan.dueAt ?? end));
  }
  return { warm, tried };
}

test('an image that does not start is tried with growing pauses, and the pool recovers once it starts', () => {
  const hour = 3_600_000;
  const broken = play(hour, () => false);
  expect(broken.tried).toBeLessThan(8 + hour / 290_000 + 2);
  expect(broken.warm.length).toBeLessThanOrEqual(8);
  const mended = play(hour, (now) => now > 1_000_000 + hour / 2);
  expect(mended.warm.filter(({ state }) => state === 'ready')).toHaveLength(8);
  expect(mended.warm.filter(({ state }) => state === 'failed')).toEqual([]);
});

test('one failed instance does not delay the others', () => {
  const targets = targetsOf({ a: 3 });
  const warm = [
    { id: '1', pool: 'runc a', state: 'failed', createdAt: 1, failedAt: 10 },
    { id: '2', pool: 'runc a', state: 'ready', createdAt: 1, readyAt: 20 },
  ];
  const plan = planPools({ now: 30, isPressed: false, targets, warm });
  expect([plan.retire, plan.start[0]?.count]).toEqual([['1'], 2]);
});

test('targets: gVisor unless the wish names a class, only classes of the runner, the larger of two wishes, recent use with a maximum', () => {
  const wishes = {
    isolation: ['runc', 'gvisor'] as const,
    warm: [
      { image: 'a', count: 2 },
      { image: 'a', count: 5, isolation: 'runc' as const },
      { image: 'a', count: 1, isolation: 'runc' as const, memoryMb: 512 },
    ],
    warmLately: 3,
    recentUse: [
      { image: 'b', isolation: 'runc' as const, memoryMb: 4096, sandboxes: 9 },
      { image: 'c', isolation: 'gvisor' as const, memoryMb: 1024, sandboxes: 1 },
    ],
  };
  const counts = (isolation: ('runc' | 'gvisor')[]) =>
    poolTargets({ ...wishes, isolation }, settings).map(({ pool, count }) => [pool, count]);
  expect(counts(['runc', 'gvisor'])).toEqual([
    ['gvisor 4096 a', 2],
    ['runc a', 5],
    ['runc b', 3],
    ['gvisor 1024 c', 1],
  ]);
  expect(counts(['runc'])).toEqual([
    ['runc a', 5],
    ['runc b', 3],
  ]);
});

test('no warm sandbox is started on runc where sandboxes have to run under gVisor', () => {
  const strict = { ...settings, placement: PlacementConfig.parse({}) };
  const wishes = { warm: [{ image: 'a', count: 2 }], warmLately: 0, recentUse: [] };
  expect(poolTargets({ ...wishes, isolation: ['runc'] }, strict)).toEqual([]);
  const both = poolTargets({ ...wishes, isolation: ['runc', 'gvisor'] }, strict);
  expect(both.map(({ pool }) => pool)).toEqual(['gvisor 4096 a']);
});
