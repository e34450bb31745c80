import { expect, test } from 'vitest';
import { addDurations, countDuration, durationBoundsMs, noDurations } from './durations.ts';

const counted = (...all: number[]): number[] => {
  const durations = noDurations();
  for (const ms of all) countDuration(durations, ms);
  return durations;
};
const placeOf = (ms: number): number => counted(ms).indexOf(1);

test('a duration counts up to its bound, which is part of it; above the last bound it counts at the end', () => {
  expect(durationBoundsMs.map(placeOf)).toEqual(durationBoundsMs.map((_, at) => at));
  expect(durationBoundsMs.map((bound) => placeOf(bound + 0.001))).toEqual(durationBoundsMs.map((_, at) => at + 1));
  expect(placeOf(0)).toBe(0);
  expect(placeOf(1e12)).toBe(durationBoundsMs.length);
});

test('the sum of two histograms is the histogram of all their durations', () => {
  const one = [0.2, 7, 7, 80, 2_000_000];
  const other = [7, 400, 9_999, 3_000_000];
  expect(addDurations(counted(...one), counted(...other))).toEqual(counted(...one, ...other));
  expect(addDurations(counted(...one), noDurations())).toEqual(counted(...one));
});
