import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bursts } from './bursts.ts';

const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 });

test('the bursts take the asked share of the time, and none is longer than 0.3 s', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90 }), fractions, (percent, drawn) => {
      const left = [...drawn];
      const some = bursts(percent, () => left.pop() ?? 0)
        .take(drawn.length)
        .toArray();
      const busy = some.reduce((sum, { busyMs }) => sum + busyMs, 0);
      const all = some.reduce((sum, { busyMs, idleMs }) => sum + busyMs + idleMs, 0);
      expect(busy / all).toBeCloseTo(percent / 100, 5);
      expect(Math.max(...some.map(({ busyMs }) => busyMs))).toBeLessThanOrEqual(300);
    }),
  );
});
