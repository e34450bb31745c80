import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attoUsd } from './atto-usd.ts';

test.each([
  ['0.000011500000000000', 11_500_000_000_000n],
  ['0.0000115', 11_500_000_000_000n],
  ['20', 20n * 10n ** 18n],
  ['0', 0n],
  ['0.000000000000000001', 1n],
])('the price %s has %s units of 10^-18', (text, expected) => {
  expect(attoUsd(text)).toBe(expected);
});

test('a price is read without loss, however many digits it has', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (units) => {
      const padded = units.toString().padStart(19, '0');
      expect(attoUsd(`${padded.slice(0, -18)}.${padded.slice(-18)}`)).toBe(units);
    }),
  );
});

test.each(['', '1.', '-1', '1e-5', '0.0000000000000000001', 'NaN'])('%j is refused', (text) => {
  expect(() => attoUsd(text)).toThrow('no decimal');
});
