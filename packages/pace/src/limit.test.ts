import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { Limit } from './limit.ts';

afterEach(() => void vi.useRealTimers());

test('never more than the limit at a time, in the order they came, also when some fail', async () => {
  const limit = new Limit(3);
  const order: number[] = [];
  let now = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      limit.run(async () => {
        order.push(index);
        now += 1;
        most = Math.max(most, now);
        await sleep(1);
        now -= 1;
        if (index % 4 === 0) throw new Error('failed');
        return index;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(order).toEqual(order.toSorted((left, right) => left - right));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
});

test('an owner leaves one place to others, who get places in turn: none waits for all that another asked for', async () => {
  const limit = new Limit(3);
  const order: string[] = [];
  const ask = (owner: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      limit.run(async () => {
        order.push(`${owner}${index}`);
        await sleep(1);
      }, owner),
    );
  await Promise.all([...ask('a', 6), ...ask('b', 2), ...ask('c', 1)]);
  // `a` had begun two before `b` and `c` asked; the third place was kept free for another owner.
  expect(order).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'c0', 'a3', 'a4', 'a5']);
});

test('what is done for later waits while anything of now is under way or waits, and has its own share', async () => {
  const limit = new Limit(4, 1);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await sleep(5);
  };
  const later = Array.from({ length: 10 }, (_, index) => limit.runForLater(work(`later ${index}`)));
  const now = Array.from({ length: 6 }, (_, index) => limit.run(work(`now ${index}`)));
  await Promise.all([...later, ...now]);
  // `later 0` had begun before any other work was queued.
  expect(order.slice(0, 7)).toEqual(['later 0', ...Array.from({ length: 6 }, (_, index) => `now ${index}`)]);
  expect(order.slice(7)).toEqual(Array.from({ length: 9 }, (_, index) => `later ${index + 1}`));
});

test('what is done for later waits for a calm moment, but not for ever', async () => {
  vi.useFakeTimers();
  const waitedMs = async (disturbedMs: number): Promise<number | undefined> => {
    const limit = new Limit(2, 1, { quietMs: 40, mostMs: 200 });
    const startedAt = performance.now();
    const disturb = () => (performance.now() - startedAt < disturbedMs ? limit.disturb() : undefined);
    limit.disturb();
    const timer = setInterval(disturb, 5);
    let waited: number | undefined;
    void limit.runForLater(async () => {
      waited = performance.now() - startedAt;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    clearInterval(timer);
    return waited;
  };
  expect(await waitedMs(0)).toBe(40);
  // The last disturbance is at 95 ms.
  expect(await waitedMs(100)).toBe(135);
  expect(await waitedMs(5_000)).toBe(200);
});

test('in any order of asking, nothing for later begins while anything of now runs or waits, and the shares are kept', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ isNow: fc.boolean(), ms: fc.nat({ max: 2 }), fails: fc.boolean() }), { maxLength: 30 }),
      async (most, mostForLater, asked) => {
        const limit = new Limit(most, mostForLater);
        const running = { now: 0, later: 0 };
        let waitingNow = 0;
        // Keeps background work from starting before all work is queued.
        const first = limit.run(() => sleep(1));
        const works = asked.map(({ isNow, ms, fails }) => {
          const work = async () => {
            if (isNow) waitingNow -= 1;
            else expect([running.now, waitingNow]).toEqual([0, 0]);
            running[isNow ? 'now' : 'later'] += 1;
            expect(running.later).toBeLessThanOrEqual(Math.min(most, mostForLater));
            expect(running.now + running.later).toBeLessThanOrEqual(most);
            await sleep(ms);
            running[isNow ? 'now' : 'later'] -= 1;
            if (fails) throw new Error('failed');
          };
          if (isNow) waitingNow += 1;
          return isNow ? limit.run(work) : limit.runForLater(work);
        });
        await first;
        const ends = await Promise.allSettled(works);
        const failed = ends.filter(({ status }) => status === 'rejected');
        expect(failed).toHaveLength(asked.filter(({ fails }) => fails).length);
      },
    ),
    { numRuns: 30 },
  );
});
