import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countDuration, durationBoundsMs, noDurations } from './durations.ts';
import { percentile } from './percentile.ts';

const counted = (all: readonly number[]): number[] => {
  const durations = noDurations();
  for (const ms of all) countDuration(durations, ms);
  return durations;
};

test('a percentile is linear between the bounds of its durations', () => {
  const hundred = counted(Array<number>(100).fill(30));
  expect([0.5, 0.95, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([37.5, 48.75, 49.75, 50]);
  const mixed = counted([...Array<number>(90).fill(0.5), ...Array<number>(10).fill(300)]);
  expect([0.45, 0.9, 0.95].map((share) => percentile(mixed, share))).toEqual([0.5, 1, 375]);
});

test('durations above the last bound count as that bound, and a histogram without any has no percentile', () => {
  expect(percentile(counted([1e9]), 0.5)).toBe(900_000);
  expect(percentile(noDurations(), 0.5)).toBeUndefined();
});

test('a percentile lies between the same bounds as the duration that it estimates', () => {
  const boundsAround = (ms: number): [number, number] => {
    const at = durationBoundsMs.findIndex((bound) => ms <= bound);
    return [durationBoundsMs[at - 1] ?? 0, durationBoundsMs[at] ?? 0];
  };
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 900_000, noNaN: true }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (all, share) => {
        const exact = all.toSorted((one, other) => one - other)[Math.ceil(share * all.length) - 1] ?? Number.NaN;
        const [lowerMs, upperMs] = boundsAround(exact);
        const estimate = percentile(counted(all), share) ?? Number.NaN;
        expect(estimate).toBeGreaterThanOrEqual(lowerMs);
        expect(estimate).toBeLessThanOrEqual(upperMs);
      },
    ),
  );
});
