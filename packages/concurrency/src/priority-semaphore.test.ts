import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { PrioritySemaphore } from './priority-semaphore.ts';

afterEach(() => void vi.useRealTimers());

test('background work waits while foreground work runs or waits, and takes at most its share of the places', async () => {
  const semaphore = new PrioritySemaphore(4, 1);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await sleep(5);
  };
  const later = Array.from({ length: 10 }, (_, index) => semaphore.runInBackground(work(`background ${index}`)));
  const now = Array.from({ length: 6 }, (_, index) => semaphore.run(work(`foreground ${index}`)));
  await Promise.all([...later, ...now]);
  // `background 0` had begun before any other work was queued.
  expect(order.slice(0, 7)).toEqual([
    'background 0',
    ...Array.from({ length: 6 }, (_, index) => `foreground ${index}`),
  ]);
  expect(order.slice(7)).toEqual(Array.from({ length: 9 }, (_, index) => `background ${index + 1}`));
});

test('background work waits for a quiet period, but at most the maximum wait', async () => {
  vi.useFakeTimers();
  const waitedMs = async (activeMs: number): Promise<number | undefined> => {
    const semaphore = new PrioritySemaphore(2, 1, { quietMs: 40, maxMs: 200 });
    const startedAt = performance.now();
    const stayActive = () => (performance.now() - startedAt < activeMs ? semaphore.noteActivity() : undefined);
    semaphore.noteActivity();
    const timer = setInterval(stayActive, 5);
    let waited: number | undefined;
    void semaphore.runInBackground(async () => {
      waited = performance.now() - startedAt;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    clearInterval(timer);
    return waited;
  };
  expect(await waitedMs(0)).toBe(40);
  // The last activity is at 95 ms.
  expect(await waitedMs(100)).toBe(135);
  expect(await waitedMs(5_000)).toBe(200);
});

test('in any order of calls, no background work begins while foreground work runs or waits, and the shares are kept', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ isNow: fc.boolean(), ms: fc.nat({ max: 2 }), fails: fc.boolean() }), { maxLength: 30 }),
      async (max, maxInBackground, asked) => {
        const semaphore = new PrioritySemaphore(max, maxInBackground);
        const running = { now: 0, later: 0 };
        let waitingNow = 0;
        // Keeps background work from starting before all work is queued.
        const first = semaphore.run(() => sleep(1));
        const works = asked.map(({ isNow, ms, fails }) => {
          const work = async () => {
            if (isNow) waitingNow -= 1;
            else expect([running.now, waitingNow]).toEqual([0, 0]);
            running[isNow ? 'now' : 'later'] += 1;
            expect(running.later).toBeLessThanOrEqual(Math.min(max, maxInBackground));
            expect(running.now + running.later).toBeLessThanOrEqual(max);
            await sleep(ms);
            running[isNow ? 'now' : 'later'] -= 1;
            if (fails) throw new Error('failed');
          };
          if (isNow) waitingNow += 1;
          return isNow ? semaphore.run(work) : semaphore.runInBackground(work);
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
