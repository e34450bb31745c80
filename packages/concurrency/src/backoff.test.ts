import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('a pause lies between half of its step and the whole, grows, and stays below its bound', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 1_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, firstMs, random) => {
        const pause = backoffMs(failures, firstMs, 60_000, () => random);
        const step = Math.min(60_000, firstMs * 2 ** Math.min(30, failures - 1));
        expect(pause).toBeGreaterThanOrEqual(step / 2);
        expect(pause).toBeLessThanOrEqual(step);
      },
    ),
  );
});
