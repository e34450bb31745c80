import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attoUsd } from './atto-usd.ts';
import { exactDecimal, unitsOf, usdOf } from './exact-number.ts';

test.each([
  [0n, '0'],
  [1n, '0.000000000001'],
  [41_400_000_000n, '0.0414'],
  [1_000_000_000_000n, '1'],
  [1_500_000_000_000n, '1.5'],
  [12_345_678_901_234_567_890n, '12345678.90123456789'],
  [-1n, '-0.000000000001'],
  [-2_500_000_000_000n, '-2.5'],
])('%i · 10⁻¹² is written as %s', (parts, text) => {
  expect(exactDecimal(parts, 12)).toBe(text);
});

test('an answer holds every digit, as a JSON number', () => {
  const pico = 9_007_199_254_740_993_000_000_000_001n;
  expect(JSON.stringify({ cost: usdOf(pico), usage: unitsOf(9_007_199_254_740_993n) })).toBe(
    '{"cost":9007199254740993.000000000001,"usage":9007199254.740993}',
  );
});

test('the text has no more zeros than it needs, and gives the integer back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (parts) => {
      const text = exactDecimal(parts, 6);
      const [whole = '', fraction = ''] = text.split('.');
      expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      expect(BigInt(whole + fraction.padEnd(6, '0'))).toBe(parts);
    }),
  );
});

test('reading a written amount gives the amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 26n }), (pico) => {
      expect(attoUsd(JSON.stringify(usdOf(pico)))).toBe(pico * 1_000_000n);
    }),
  );
});
