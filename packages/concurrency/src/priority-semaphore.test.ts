import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { PrioritySemaphore } from './priority-semaphore.ts';

const whenArbitrary = fc.constantFrom('now', 'batch', 'later');

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

test('batch work waits for foreground work, goes before background work, and leaves one place free', async () => {
  const semaphore = new PrioritySemaphore(3, 1);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await sleep(5);
  };
  const first = Array.from({ length: 3 }, (_, index) => semaphore.run(work(`first ${index}`)));
  const background = semaphore.runInBackground(work('background'));
  const batch = Array.from({ length: 4 }, (_, index) => semaphore.runBatch(work(`batch ${index}`), 'a'));
  const later = semaphore.run(work('foreground'));
  await Promise.all(first);
  // Batch work holds two of the three places, so the next place that is free goes to the caller.
  const caller = semaphore.run(work('caller'));
  await Promise.all([background, ...batch, later, caller]);
  const at = (name: string) => order.indexOf(name);
  expect(at('foreground')).toBe(3);
  expect(at('batch 0')).toBe(4);
  expect(at('caller')).toBeLessThan(at('batch 2'));
  expect(order.at(-1)).toBe('background');
});

test('owners of batch work take turns', async () => {
  const semaphore = new PrioritySemaphore(2, 1);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await sleep(1);
  };
  const many = Array.from({ length: 5 }, (_, index) => semaphore.runBatch(work(`many ${index}`), 'many'));
  const one = semaphore.runBatch(work('one'), 'one');
  await Promise.all([...many, one]);
  expect(order.indexOf('one')).toBe(2);
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

test('in any order of calls, no work begins before work of a higher class that waits, and the shares are kept', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.record({ when: whenArbitrary, ms: fc.nat({ max: 2 }), fails: fc.boolean() }), { maxLength: 30 }),
      async (max, maxInBackground, asked) => {
        const semaphore = new PrioritySemaphore(max, maxInBackground);
        const running = { now: 0, batch: 0, later: 0 };
        const waiting = { now: 0, batch: 0, later: 0 };
        // Keeps other work from starting before all work is queued.
        const first = Promise.all(Array.from({ length: max }, () => semaphore.run(() => sleep(1))));
        const works = asked.map(({ when, ms, fails }) => {
          const work = async () => {
            waiting[when] -= 1;
            if (when === 'batch') expect(waiting.now).toBe(0);
            if (when === 'later') expect([running.now, waiting.now, waiting.batch]).toEqual([0, 0, 0]);
            running[when] += 1;
            expect(running.later).toBeLessThanOrEqual(Math.min(max, maxInBackground));
            expect(running.batch).toBeLessThanOrEqual(Math.max(1, max - 1));
            expect(running.now + running.batch + running.later).toBeLessThanOrEqual(max);
            await sleep(ms);
            running[when] -= 1;
            if (fails) throw new Error('failed');
          };
          waiting[when] += 1;
          if (when === 'batch') return semaphore.runBatch(work);
          return when === 'now' ? semaphore.run(work) : semaphore.runInBackground(work);
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
