import { expect, test } from 'vitest';
import { parseProcessorTime, stolenShare } from './stolen-time.ts';

const before = 'cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 50 0 25 400 5 0 2 18 3 0\n';
const after = 'cpu  180 0 70 850 10 0 5 85 9 0\ncpu0 90 0 35 425 5 0 2 43 4 0\n';

test('the time that a host has taken is a share of all time of all processors, guests of our own not counted twice', () => {
  expect(parseProcessorTime(before)).toEqual({ stolen: 35, all: 1_000 });
  expect(stolenShare(parseProcessorTime(before), parseProcessorTime(after))).toBe(0.25);
});

test('in no time nothing is taken', () => {
  expect(stolenShare(parseProcessorTime(before), parseProcessorTime(before))).toBe(0);
});
