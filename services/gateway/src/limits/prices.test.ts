import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelPrice } from './model-prices.ts';
import { createPrices, nanoUsdOf, type TokenPrices } from './prices.ts';

const price = (model: string, sent: string, changes: Partial<ModelPrice> = {}): ModelPrice => ({
  ...{ provider: 'openai', model, validFrom: '2026-01-01T00:00:00Z', sent, received: '0' },
  ...changes,
});
const now = Date.parse('2026-11-19T00:00:00Z');
/** USD for 10⁶ sent tokens. */
function sentUsd(prices: readonly ModelPrice[], model: string, nowMs = now, provider = 'openai'): number | undefined {
  const found = createPrices(prices).at({ provider, model }, nowMs);
  return found === undefined ? undefined : Number(found.sent) / 1e18;
}

test('the exact name wins over beginnings of the name, and a long beginning over a short one, in any order', () => {
  const prices = [price('*', '1'), price('gpt-4o*', '3'), price('gpt*', '2'), price('gpt-4o', '4')];
  fc.assert(
    fc.property(fc.shuffledSubarray(prices, { minLength: prices.length }), (shuffled) => {
      const found = ['gpt-4o', 'gpt-4o-mini', 'gpt-4', 'gpt', 'o3'].map((model) => sentUsd(shuffled, model));
      expect(found).toEqual([4, 3, 2, 2, 1]);
    }),
  );
});

test('a price is valid from its time on, until a later one for the same name', () => {
  const prices = [
    price('m', '1'),
    price('m', '3', { validFrom: '2026-11-19T00:00:00Z' }),
    price('m', '2', { validFrom: '2026-06-01T00:00:00+02:00' }),
    price('*', '9'),
  ];
  expect(sentUsd(prices, 'm', now)).toBe(3);
  expect(sentUsd(prices, 'm', now - 1)).toBe(2);
  expect(sentUsd(prices, 'm', Date.parse('2026-05-31T22:00:00Z'))).toBe(2);
  expect(sentUsd(prices, 'm', Date.parse('2026-05-31T21:59:59.999Z'))).toBe(1);
  expect(sentUsd(prices, 'm', Date.parse('2025-12-31T23:59:59.999Z'))).toBeUndefined();
});

test('before the price of the exact name is valid, that of a beginning counts', () => {
  const prices = [price('m', '5', { validFrom: '2027-01-01T00:00:00Z' }), price('m*', '1')];
  expect(sentUsd(prices, 'm')).toBe(1);
});

test('another provider, another name and another case have no price', () => {
  const prices = [price('gpt-4o', '1')];
  expect(sentUsd(prices, 'gpt-4o', now, 'azure')).toBeUndefined();
  for (const model of ['gpt-4', 'gpt-4o-mini', 'GPT-4O', '']) expect(sentUsd(prices, model)).toBeUndefined();
});

test('cached tokens have the price of sent ones where they have none of their own', () => {
  expect(createPrices([price('m', '2')]).at({ provider: 'openai', model: 'm' }, now)?.cached).toBe(2n * 10n ** 18n);
});

const counts = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 999_999_999n }), fc.integer({ min: 0, max: 18 }), fc.bigInt({ min: 0n }))
  .map(([whole, digits, fraction]) => {
    const text = String(fraction).padStart(digits, '0').slice(0, digits);
    return digits === 0 ? String(whole) : `${whole}.${text}`;
  });

/** A fraction, made in another way than the prices are: each term with its own denominator. */
function reference(terms: readonly { tokens: bigint; usd: string }[]): bigint {
  let [numerator, denominator] = [0n, 1n];
  for (const { tokens, usd } of terms) {
    const [whole = '', fraction = ''] = usd.split('.');
    const scale = 10n ** BigInt(fraction.length);
    // USD for 10⁶ tokens are 1 000 · 10⁻⁹ USD for one.
    const term = tokens * BigInt(whole + fraction) * 1_000n;
    [numerator, denominator] = [numerator * scale + term * denominator, denominator * scale];
  }
  return numerator / denominator + (numerator % denominator === 0n ? 0n : 1n);
}

test('the cost of a request is the exact one, rounded up once', () => {
  fc.assert(
    fc.property(
      counts,
      counts,
      counts,
      decimal,
      decimal,
      decimal,
      (sent, part, received, ...[usdSent, usdCached, usdReceived]) => {
        const cached = Math.min(sent, part);
        const prices = createPrices([price('m', usdSent, { cached: usdCached, received: usdReceived })]);
        const found = prices.at({ provider: 'openai', model: 'm' }, now) as TokenPrices;
        expect(nanoUsdOf(found, { sent, cached, received })).toBe(
          reference([
            { tokens: BigInt(sent) - BigInt(cached), usd: usdSent },
            { tokens: BigInt(cached), usd: usdCached },
            { tokens: BigInt(received), usd: usdReceived },
          ]),
        );
      },
    ),
  );
});

test.each([
  ['nothing', { sent: 0, cached: 0, received: 0 }, 0n],
  ['one token of 0.000001 nano-USD', { sent: 1, cached: 0, received: 0 }, 1n],
  ['a million of them', { sent: 1_000_000, cached: 0, received: 0 }, 1n],
  ['one more', { sent: 1_000_001, cached: 0, received: 0 }, 2n],
])('%s costs a whole number of nano-USD', (_what, tokens, nanoUsd) => {
  const prices: TokenPrices = { sent: 1_000_000_000n, cached: 0n, received: 0n };
  expect(nanoUsdOf(prices, tokens)).toBe(nanoUsd);
});

test('numbers that no provider should tell cost neither less than nothing nor more than can be stored', () => {
  const prices: TokenPrices = { sent: 10n ** 27n, cached: 0n, received: 10n ** 27n };
  const odd = [Number.NaN, -1, Number.POSITIVE_INFINITY, Number.MAX_VALUE, 0.5];
  for (const sent of odd)
    for (const cached of odd)
      for (const received of odd) {
        const cost = nanoUsdOf(prices, { sent, cached, received });
        expect(cost).toBeGreaterThanOrEqual(0n);
        expect(cost).toBeLessThan(10n ** 30n);
      }
  // More cached tokens than sent ones are no gift.
  expect(nanoUsdOf({ ...prices, cached: prices.sent }, { sent: 5, cached: 9, received: 0 })).toBe(5n * 10n ** 12n);
});
