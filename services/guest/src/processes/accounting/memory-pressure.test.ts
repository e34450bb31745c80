import { bytesPerMb } from '@berth/contract/guest';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Candidate,
  type Ended,
  groupToEnd,
  isShort,
  type Load,
  nextLookMs,
  reserveBytes,
} from './memory-pressure.ts';

const load = (change: Partial<Load>): Load => ({
  totalBytes: 1024 * bytesPerMb,
  freeBytes: 900 * bytesPerMb,
  ...change,
});
const processes: Candidate[] = [
  { pid: 11, group: 10, residentBytes: 5 * bytesPerMb },
  { pid: 12, group: 10, residentBytes: 5 * bytesPerMb },
  { pid: 20, group: 20, residentBytes: 700 * bytesPerMb },
];

test('no process is ended while enough memory is free', () => {
  expect(isShort(load({}))).toBe(false);
  expect(groupToEnd([], undefined, 0)).toBeUndefined();
});

test('the biggest process is ended before memory runs out', () => {
  expect(isShort(load({ freeBytes: 10 * bytesPerMb }))).toBe(true);
  expect(groupToEnd(processes, undefined, 0)).toBe(20);
});

describe('R-01 while the memory of an ended process comes back', () => {
  const ended: Ended = {
    group: 20,
    atMs: 1_000,
    residentBytes: new Map(processes.map(({ pid, residentBytes }) => [pid, residentBytes])),
  };
  const others = processes.filter(({ group }) => group !== 20);

  test('no other process is ended, and the same group is not ended again', () => {
    expect(groupToEnd(others, ended, 1_050)).toBeUndefined();
    expect(groupToEnd(processes, ended, 1_999)).toBeUndefined();
  });

  test('a process that grows meanwhile is ended, and so is a new one', () => {
    expect(groupToEnd([...others, { pid: 13, group: 10, residentBytes: 5 * bytesPerMb }], ended, 1_050)).toBe(10);
    const grown = others.map((one) => (one.pid === 12 ? { ...one, residentBytes: 10 * bytesPerMb } : one));
    expect(groupToEnd(grown, ended, 1_050)).toBe(10);
  });

  test('after a second without enough free memory, the biggest process is ended if ending it frees something', () => {
    const big = { pid: 30, group: 30, residentBytes: 100 * bytesPerMb };
    const before = { ...ended, residentBytes: new Map([...ended.residentBytes, [big.pid, big.residentBytes]]) };
    expect(groupToEnd([...others, big], before, 1_999)).toBeUndefined();
    expect(groupToEnd([...others, big], before, 2_000)).toBe(30);
  });

  test('a small process is ended only after ten seconds without enough free memory', () => {
    expect(groupToEnd(others, ended, 10_999)).toBeUndefined();
    expect(groupToEnd(others, ended, 11_000)).toBe(10);
  });
});

test('the next look comes before memory can be filled at two gigabytes a second, after 5 to 500 ms', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 64 * bytesPerMb, max: 64 * 1024 * bytesPerMb }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (totalBytes, share) => {
        const freeBytes = totalBytes * share;
        const ms = nextLookMs(load({ totalBytes, freeBytes }));
        expect(ms).toBeGreaterThanOrEqual(5);
        expect(ms).toBeLessThanOrEqual(500);
        const filledBytes = (ms * 2 * 1024 * bytesPerMb) / 1000;
        if (ms > 5) expect(freeBytes - filledBytes).toBeGreaterThanOrEqual(reserveBytes(totalBytes) - 1);
      },
    ),
  );
});
