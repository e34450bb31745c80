import { bytesPerMb } from '@berth/contract/guest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finishedToDrop, type LogBudget, logBytesEach, logsToDrop } from './retention.ts';

const minuteMs = 60_000;
const nowMs = Date.UTC(2026, 0, 1);
const finished = (count: number, ageMs: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ id: `p${index}`, completedAtMs: nowMs - ageMs(index) }));

test('U-07 a finished process stays listed for a quarter of an hour, regardless of their number', () => {
  expect(
    finishedToDrop(
      finished(3000, (index) => (index % 14) * minuteMs),
      nowMs,
    ),
  ).toEqual([]);
});

test('U-07 of older finished processes the newest 200 stay listed', () => {
  const dropped = finishedToDrop(
    finished(300, (index) => (20 + index) * minuteMs),
    nowMs,
  );
  expect(dropped).toEqual(Array.from({ length: 100 }, (_, index) => `p${200 + index}`));
});

test('U-07 finished processes are dropped after a day, even when they are few', () => {
  expect(
    finishedToDrop(
      finished(2, (index) => (index === 0 ? 23 : 25) * 60 * minuteMs),
      nowMs,
    ),
  ).toEqual(['p1']);
});

const budget: LogBudget = {
  maxBytesPerFile: 32 * bytesPerMb,
  maxBytesTotal: undefined,
  maxPercentOfMemory: 10,
  memoryBytes: 4096 * bytesPerMb,
};

test('R-03 all logs share a tenth of the memory: three for each process, at least 256 KiB each', () => {
  expect(logBytesEach(budget, 1)).toBe(32 * bytesPerMb);
  expect(logBytesEach(budget, 10)).toBe(Math.floor((409.6 * bytesPerMb) / 30));
  expect(logBytesEach(budget, 100_000)).toBe(256 * 1024);
  expect(logBytesEach({ ...budget, memoryBytes: undefined }, 4)).toBe(8 * bytesPerMb);
  expect(logBytesEach({ ...budget, maxBytesTotal: 3 * bytesPerMb }, 1)).toBe(bytesPerMb);
  expect(logBytesEach({ ...budget, maxBytesPerFile: 0 }, 2)).toBe(Math.floor((409.6 * bytesPerMb) / 6));
});

test('R-03 a finished process takes no more of the budget than it has printed', () => {
  const small = Array.from({ length: 65 }, () => 1024);
  const ofOneGiB = { ...budget, memoryBytes: 1024 * bytesPerMb };
  expect(logBytesEach(ofOneGiB, 1, small)).toBe(32 * bytesPerMb);
  const total = Math.floor(102.4 * bytesPerMb);
  expect(logBytesEach(ofOneGiB, 1, [90 * bytesPerMb, ...small])).toBe(Math.floor((total - 65 * 1024) / 2 / 3));
});

test('R-03 above the smallest share, all logs together stay within the budget', () => {
  const finishedBytes = fc.array(fc.nat(200 * bytesPerMb), { maxLength: 30 });
  fc.assert(
    fc.property(fc.nat(30), finishedBytes, (growing, finished) => {
      const limit = logBytesEach(budget, growing, finished);
      if (limit === 256 * 1024) return;
      const kept = finished.reduce((sum, bytes) => sum + Math.min(bytes, 3 * limit), 3 * limit * growing);
      expect(kept).toBeLessThanOrEqual(409.6 * bytesPerMb);
    }),
  );
});

test('R-03 logs of finished processes are dropped, oldest first, only until the rest fits', () => {
  const logs = fc.array(fc.record({ keptBytes: fc.nat(1000), completedAtMs: fc.nat(1000) }), { maxLength: 30 });
  fc.assert(
    fc.property(logs, fc.nat(3000), fc.nat(20_000), (kept, runningBytes, totalBytes) => {
      const all = kept.map((one, index) => ({ ...one, id: `p${index}` }));
      const dropped = new Set(logsToDrop(all, runningBytes, totalBytes));
      const left = all.filter(({ id }) => !dropped.has(id));
      const bytes = left.reduce((sum, { keptBytes }) => sum + keptBytes, runningBytes);
      if (left.some(({ keptBytes }) => keptBytes > 0)) expect(bytes).toBeLessThanOrEqual(totalBytes);
      const youngestDropped = Math.max(...all.filter(({ id }) => dropped.has(id)).map((one) => one.completedAtMs), -1);
      for (const one of left) if (one.keptBytes > 0) expect(one.completedAtMs).toBeGreaterThanOrEqual(youngestDropped);
    }),
  );
});
