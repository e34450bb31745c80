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

/**
 * Simulates instances with the same limit of their own on a machine with other writers. The first instance writes too, until
 * a count finds it beyond its limit.
 */
function simulate(machine: {
  readonly instances: number;
  readonly limitBytes: number;
  /** Per second, of the first instance and of everything else on the machine. */
  readonly ownRate: number;
  readonly otherRate: number;
  readonly tookMs: number;
  readonly forMs: number;
}) {
  const { instances, limitBytes, ownRate, otherRate, tookMs, forMs } = machine;
  const limits = { bytes: limitBytes, files: 1e6 };
  const counts: (Written | undefined)[] = Array.from({ length: instances }, () => undefined);
  let [now, lastAt, number, total] = [0, 0, 0, nothing];
  while (now < forMs) {
    const lost = { bytes: ((ownRate + otherRate) * (now - lastAt)) / 1_000, files: 0 };
    total = sum(total, lost);
    const writtenBytes = (ownRate * now) / 1_000;
    for (const [index, known] of counts.entries()) {
      if (!isDue(known, total, limits, now, instances)) continue;
      number += 1;
      const amount = index === 0 ? { bytes: writtenBytes, files: 1 } : nothing;
      counts[index] = written({ amount, lossThen: total, countedAt: now, tookMs });
      if (amount.bytes > limitBytes) return { writtenBytes, number, now };
    }
    const room = limitBytes - (counts[0]?.amount.bytes ?? 0);
    const waitMs = nextLookMs(lost, now - lastAt, { bytes: room, files: 1e6 });
    [lastAt, now] = [now, now + waitMs];
  }
  return { writtenBytes: 0, number, now };
}

describe('an instance with a small limit of its own', () => {
  const limitBytes = fc.integer({ min: 12e6, max: 4e9 });
  const rate = fc.integer({ min: 1e5, max: 1e9 });

  test('is found beyond its limit the sooner the faster it writes, after a few counts', () => {
    fc.assert(
      fc.property(limitBytes, rate, fc.integer({ min: 1, max: 50 }), (bytes, ownRate, tookMs) => {
        const fillMs = (bytes * 1_000) / ownRate;
        const machine = { instances: 1, limitBytes: bytes, ownRate, otherRate: 0, tookMs, forMs: 2 * fillMs + 60_000 };
        const { writtenBytes, number } = simulate(machine);
        expect(writtenBytes).toBeGreaterThan(bytes);
        // One look at the longest pause, or the least pause and the time between two counts.
        const delayMs = Math.max(1_000, 100 + tookMs * 10);
        expect(writtenBytes - bytes).toBeLessThanOrEqual(2e6 + (ownRate * delayMs) / 1_000);
        // Each count halves what is left, down to a megabyte; beside them there is one count a minute.
        expect(number).toBeLessThanOrEqual(3 + Math.log2(bytes / 1e6) + fillMs / 60_000);
      }),
    );
  });

  test('takes a tenth of the time for counts together with all others of its kind, however much is written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 60 }),
        rate,
        (instances, tookMs, otherRate) => {
          const machine = { instances, limitBytes: 12e6, ownRate: 0, otherRate, tookMs, forMs: 600_000 };
          const { number, now } = simulate(machine);
          expect(number).toBeGreaterThanOrEqual(10 * instances);
          expect((number - instances) * tookMs).toBeLessThanOrEqual(0.1 * now);
        },
      ),
      { numRuns: 30 },
    );
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
