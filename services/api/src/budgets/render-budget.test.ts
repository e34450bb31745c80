import { expect, test } from 'vitest';
import { percentOf, picoOf } from './render-budget.ts';

const usd = 1_000_000_000_000n;

test.each([
  ['100.000000', 100n * usd],
  ['0.000001', 1_000_000n],
  ['1000000000000.000000', 10n ** 24n],
  ['999999999.123456', 999_999_999_123_456_000_000n],
])('%s USD are %i · 10⁻¹² USD', (text, pico) => {
  expect(picoOf(text)).toBe(pico);
});

test.each([
  [0n, '0'],
  [1n, '0'],
  [usd / 3n, '0.33'],
  [50n * usd, '50'],
  // Below the amount it is never 100.
  [100n * usd - 1n, '99.99'],
  [100n * usd, '100'],
  [100n * usd + 5_000_000_000n, '100'],
  [1_234_567n * usd, '1234567'],
])('%i · 10⁻¹² USD are %s percent of 100 USD', (pico, percent) => {
  expect(JSON.stringify(percentOf(pico, 100n * usd))).toBe(percent);
});
