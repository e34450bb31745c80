import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isShort } from './pressure.ts';

test('a machine is pressed from one mark on until it is past the other, and never in between by chance', () => {
  const marks = { below: 10, until: 20 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1 }), (seen) => {
      let was = false;
      for (const left of seen) {
        const is = isShort(was, left, marks);
        if (is !== was) expect(was ? left >= 20 : left < 10).toBe(true);
        was = is;
      }
    }),
  );
});
