import { expect, test } from 'vitest';
import { ModelPrices } from './model-prices.ts';

const price = { provider: 'openai', model: 'gpt-4o', validFrom: '2026-01-01T00:00:00Z', sent: '2.50', received: '10' };

test.each([
  ['all prices', { ...price, cached: '1.25' }],
  ['no price for cached tokens', price],
  ['the beginning of names', { ...price, model: 'gpt-4o*' }],
  ['all names', { ...price, model: '*' }],
  ['a name with slashes', { ...price, model: 'meta-llama/Llama-3.3-70B' }],
  ['nothing to pay', { ...price, sent: '0', received: '0' }],
  ['every digit', { ...price, sent: '999999999.123456789012345678' }],
  ['a time with an offset', { ...price, validFrom: '2026-01-01T02:00:00+02:00' }],
])('a price with %s is taken as it is', (_what, entry) => {
  expect(ModelPrices.parse([entry])).toEqual([entry]);
});

test.each<[string, object, RegExp]>([
  ['a number', { sent: 2.5 }, /decimal text in quotes, such as "2\.50"/],
  ['no price for received tokens', { received: undefined }, /decimal text in quotes/],
  ['a negative price', { received: '-1' }, /as a decimal, such as "2\.50"/],
  ['a comma', { cached: '2,50' }, /as a decimal, such as "2\.50"/],
  ['an exponent', { sent: '1e3' }, /as a decimal/],
  ['19 decimals', { sent: '0.0000000000000000001' }, /as a decimal/],
  ['a day for a time', { validFrom: '2026-01-01' }, /time of RFC 3339, such as 2026-11-01T00:00:00Z/],
  ['a time without seconds', { validFrom: '2026-01-01T00:00Z' }, /such as 2026-11-01T00:00:00Z/],
  ['a star in the middle', { model: 'gpt-*-mini' }, /with a \* at its end/],
  ['two stars', { model: 'gpt**' }, /with a \* at its end/],
  ['no name', { model: '' }, /name of a model/],
  ['no provider', { provider: '' }, /expected string to have >=1 characters/],
])('a price with %s is refused with the reason', (_what, changes, message) => {
  const { error } = ModelPrices.safeParse([{ ...price, ...changes }]);
  expect(error?.issues.map((issue) => issue.message)).toEqual([expect.stringMatching(message)]);
});

test('two prices of one model from the same time are refused, and later ones are not', () => {
  const same = { ...price, validFrom: '2026-01-01T01:00:00+01:00', sent: '3' };
  expect(ModelPrices.safeParse([price, same]).error?.message).toMatch(
    /openai has another price for gpt-4o from the same time: leave one out/,
  );
  const others = [
    { ...same, validFrom: '2026-02-01T00:00:00Z' },
    { ...same, provider: 'azure' },
    { ...same, model: 'gpt*' },
  ];
  expect(ModelPrices.safeParse([price, ...others]).success).toBe(true);
});
