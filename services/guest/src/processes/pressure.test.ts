import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Candidate, groupToEnd, isShort, type Load, nextLookMs, reserveBytes } from './pressure.ts';

const MB = 1024 * 1024;
const load = (change: Partial<Load>): Load => ({
  totalBytes: 1024 * MB,
  freeBytes: 900 * MB,
  ...change,
});
const processes: Candidate[] = [
  { pid: 11, group: 10, residentBytes: 5 * MB },
  { pid: 12, group: 10, residentBytes: 5 * MB },
  { pid: 20, group: 20, residentBytes: 700 * MB },
];

test('nobody is ended while there is room', () => {
  expect(isShort(load({}))).toBe(false);
  expect(groupToEnd([])).toBeUndefined();
});

test('the biggest process goes before the memory is gone', () => {
  expect(isShort(load({ freeBytes: 10 * MB }))).toBe(true);
  expect(groupToEnd(processes)).toBe(20);
});

test('the look comes before memory can be filled at two gigabytes a second, between 5 and 500 ms', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 64 * MB, max: 64 * 1024 * MB }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (totalBytes, share) => {
        const freeBytes = totalBytes * share;
        const ms = nextLookMs(load({ totalBytes, freeBytes }));
        expect(ms).toBeGreaterThanOrEqual(5);
        expect(ms).toBeLessThanOrEqual(500);
        const filledBytes = (ms * 2 * 1024 * MB) / 1000;
        if (ms > 5) expect(freeBytes - filledBytes).toBeGreaterThanOrEqual(reserveBytes(totalBytes) - 1);
      },
    ),
  );
});
