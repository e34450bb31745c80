import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDemandTracker, type DemandTracker } from './demand-tracker.ts';
import type { DemandEntry } from './write-demand.ts';

let tracker: DemandTracker | undefined;
beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await tracker?.close();
  vi.useRealTimers();
});

const logger = createLogger({ role: 'test' }, { level: 'silent' });

function open(idleMs = 10_000, write?: (entries: readonly DemandEntry[]) => Promise<void>) {
  const written: (readonly DemandEntry[])[] = [];
  tracker = createDemandTracker({
    requestsPerInstance: 10,
    idleMs,
    logger,
    write: async (entries) => {
      await write?.(entries);
      written.push(entries);
    },
  });
  return { tracker, written };
}

test('200 concurrent requests cause two statements, and no statement asks for more instances than they need', async () => {
  const { tracker, written } = open();
  const leave = Array.from({ length: 200 }, () => tracker.enter('a'));
  await vi.advanceTimersByTimeAsync(20);
  expect(written).toEqual([[{ uid: 'a', requests: 1, isChange: true }], [{ uid: 'a', requests: 200, isChange: true }]]);
  for (const each of leave) each();
  for (let n = 0; n < 200; n += 1) tracker.enter('a')();
  await vi.advanceTimersByTimeAsync(20);
  expect(written).toHaveLength(2);
});

test('demand is written again while requests come, and its end is written once after the idle time', async () => {
  const { tracker, written } = open(80);
  const leave = tracker.enter('a');
  await vi.advanceTimersByTimeAsync(100);
  leave();
  await vi.advanceTimersByTimeAsync(200);
  const told = written.flat();
  expect(told[0]).toEqual({ uid: 'a', requests: 1, isChange: true });
  expect(told.at(-1)).toEqual({ uid: 'a', requests: 0, isChange: true });
  const between = told.slice(1, -1);
  expect(between.length).toBeGreaterThanOrEqual(4);
  expect(between.every(({ requests, isChange }) => requests === 1 && !isChange)).toBe(true);
  await vi.advanceTimersByTimeAsync(100);
  expect(written.flat()).toHaveLength(told.length);
});

test('a failed write is retried with the demand at that time', async () => {
  let isAway = true;
  const { tracker, written } = open(10_000, async () => {
    if (isAway) throw new Error('the database is away');
  });
  tracker.enter('a');
  await vi.advanceTimersByTimeAsync(20);
  for (let n = 0; n < 14; n += 1) tracker.enter('a');
  isAway = false;
  await expect.poll(() => written.flat()).toEqual([{ uid: 'a', requests: 15, isChange: true }]);
});

test('demand that no instance answered is written as a change again', async () => {
  const { tracker, written } = open();
  tracker.enter('a');
  await vi.advanceTimersByTimeAsync(10);
  tracker.requestAgain('a');
  await vi.advanceTimersByTimeAsync(10);
  expect(written.flat()).toEqual([
    { uid: 'a', requests: 1, isChange: true },
    { uid: 'a', requests: 1, isChange: true },
  ]);
});
