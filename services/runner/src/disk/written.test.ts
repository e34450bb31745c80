import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Amount, isDue, lossOf, mayHaveGrown, nextLookMs, nothing, sum, type Written } from './written.ts';

const amounts: fc.Arbitrary<Amount> = fc.record({ bytes: fc.nat(1e12), files: fc.nat(1e8) });
const limits: Amount = { bytes: 1e10, files: 1e6 };
/** An instance beyond its limit would have been ended when it was counted. */
const amountsWithin: fc.Arbitrary<Amount> = fc.record({ bytes: fc.nat(limits.bytes), files: fc.nat(limits.files) });
const written = (changes: Partial<Written> = {}): Written => ({
  amount: nothing,
  lossThen: nothing,
  countedAt: 0,
  tookMs: 10,
  ...changes,
});

test('space that one instance frees never hides the writes of another', () => {
  const spaces = fc.array(
    fc.record({
      freeBytes: fc.nat(1e9),
      sizeBytes: fc.constant(1e9),
      freeFiles: fc.nat(1e6),
      sizeFiles: fc.constant(1e6),
    }),
    { minLength: 2 },
  );
  fc.assert(
    fc.property(spaces, (seen) => {
      let total = nothing;
      for (const [index, space] of seen.slice(1).entries()) {
        const higher = sum(total, lossOf(seen[index] ?? space, space));
        expect(higher.bytes).toBeGreaterThanOrEqual(total.bytes);
        expect(higher.files).toBeGreaterThanOrEqual(total.files);
        total = higher;
      }
      const lowest = Math.min(...seen.map(({ freeBytes }) => freeBytes));
      expect(total.bytes).toBeGreaterThanOrEqual((seen[0]?.freeBytes ?? 0) - lowest);
    }),
  );
});

describe('an instance is counted again', () => {
  test('before it can have passed its limit, unless counting itself would take too much of the time', () => {
    fc.assert(
      fc.property(amountsWithin, amounts, fc.nat(1e6), fc.nat(1e5), (amount, more, ageMs, tookMs) => {
        const known = written({ amount, tookMs });
        const couldBeBeyond =
          amount.bytes + more.bytes > limits.bytes + 2e6 || amount.files + more.files > limits.files + 200;
        const isAffordable = ageMs >= tookMs * 10;
        if (couldBeBeyond && isAffordable) expect(isDue(known, more, limits, ageMs)).toBe(true);
        if (!isAffordable) expect(isDue(known, more, limits, ageMs)).toBe(false);
      }),
    );
  });

  test('when it was never counted, and after a minute in any case', () => {
    expect(isDue(undefined, nothing, limits, 0)).toBe(true);
    expect(isDue(written(), nothing, limits, 59_000)).toBe(false);
    expect(isDue(written(), nothing, limits, 61_000)).toBe(true);
  });

  test('when the disk is short and it may have written a noticeable amount', () => {
    expect(mayHaveGrown(undefined, nothing)).toBe(true);
    expect(mayHaveGrown(written(), { bytes: 1_000, files: 5 })).toBe(false);
    expect(mayHaveGrown(written(), { bytes: 2e6, files: 0 })).toBe(true);
    expect(mayHaveGrown(written(), { bytes: 0, files: 200 })).toBe(true);
  });
});

test('checks are more frequent the sooner the disk would be short, and at most ten per second', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 60_000 }), amounts, (lost, inMs, above) => {
      const waitMs = nextLookMs(lost, inMs, above);
      expect(waitMs).toBeGreaterThanOrEqual(100);
      expect(waitMs).toBeLessThanOrEqual(1_000);
    }),
  );
  expect(nextLookMs(nothing, 1_000, { bytes: 1e9, files: 1e6 })).toBe(1_000);
  // Half of the remaining space was lost in one second, so it lasts for two; a quarter of that is 500 ms.
  expect(nextLookMs({ bytes: 5e8, files: 0 }, 1_000, { bytes: 1e9, files: 1e6 })).toBe(500);
  expect(nextLookMs({ bytes: 5e9, files: 0 }, 1_000, { bytes: 1e9, files: 1e6 })).toBe(100);
  expect(nextLookMs({ bytes: 1, files: 1 }, 1_000, { bytes: -5, files: 1e6 })).toBe(100);
});
