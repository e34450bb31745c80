import { expect, test } from 'vitest';
import { isWithin } from './bench.ts';

test.each([
  [1.5, { atMost: 2 }, true],
  [2, { atMost: 2 }, true],
  [2.1, { atMost: 2 }, false],
  [0.6, { atLeast: 0.5 }, true],
  [0.4, { atLeast: 0.5 }, false],
  [Number.NaN, { atLeast: 0.5 }, false],
  [Number.POSITIVE_INFINITY, { atLeast: 0.5 }, false],
])('a ratio of %d within %j: %s', (ratio, bound, expected) => {
  expect(isWithin(ratio, bound)).toBe(expected);
});
