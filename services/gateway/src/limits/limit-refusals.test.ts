import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budgetRefusal, priceMissing, tokenRefusal, type Used } from './limit-refusals.ts';
import type { TokenPolicy } from './model-limits.ts';
import { noSums, type Sums } from './sums.ts';
import { windowAt } from './window.ts';

const now = Date.parse('2026-11-19T10:17:42.500Z');
const model = { uid: 'm', name: 'chat', workspaceId: 'w', policies: [], budgets: [] };
const policy = (name: string, limits: Partial<TokenPolicy> = {}): TokenPolicy => ({
  ...{ uid: name, name, step: 1, granularity: 'hour' },
  ...limits,
});
const used = (limit: TokenPolicy, own: Partial<Sums>, others: Partial<Sums> = {}): Used<TokenPolicy> => ({
  limit,
  counter: { window: windowAt(now, limit), own: { ...noSums, ...own }, others: { ...noSums, ...others } },
});
const refusal = (...policies: Used<TokenPolicy>[]) => tokenRefusal(model, policies, now);

test('a policy is used up when any of its numbers is reached, by all gateways together', () => {
  const limits = { input: 100, output: 50, total: 120 };
  expect(refusal(used(policy('p', limits), { sent: 99n, received: 20n }))).toBeUndefined();
  expect(refusal(used(policy('p', limits), { sent: 50n }, { sent: 50n }))).toBeDefined();
  expect(refusal(used(policy('p', limits), { received: 50n }))).toBeDefined();
  expect(refusal(used(policy('p', limits), { sent: 80n }, { received: 40n }))).toBeDefined();
});

test('a number that is 0 or absent is not checked', () => {
  const much = { sent: 10n ** 30n, received: 10n ** 30n };
  expect(refusal(used(policy('p', { input: 0, output: 0, total: 0 }), much))).toBeUndefined();
  expect(refusal(used(policy('p'), much))).toBeUndefined();
  expect(refusal()).toBeUndefined();
});

test('of several policies the most generous one counts: a request is refused when all of them are used up', () => {
  const limits = fc.record({ total: fc.nat({ max: 100 }), step: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(fc.array(limits, { minLength: 1, maxLength: 4 }), fc.bigInt({ min: 0n, max: 120n }), (many, sent) => {
      const policies = many.map((each, index) => used(policy(`p-${index}`, each), { sent }));
      const isRefused = many.every(({ total }) => total > 0 && sent >= BigInt(total));
      expect(refusal(...policies) !== undefined).toBe(isRefused);
    }),
  );
});

test('the refusal names the policy, its limit and the end of its window, and when to come again', () => {
  const error = refusal(used(policy('hourly', { input: 100, total: 100 }), { sent: 100n }));
  expect(error).toMatchObject({
    code: 'POLICY_VIOLATION',
    message:
      'The policy hourly allows the model chat 100 sent tokens and 100 tokens in one hour, which are used up until 2026-11-19T11:00:00.000Z.',
    details: { status: 429, limit: 'tokens', retryAfterSeconds: 2_537.5 },
  });
});

test('the refusal of several policies names the one that has room first, and says that the most generous one counts', () => {
  const daily = used(policy('daily', { granularity: 'day', output: 5 }), { received: 5n });
  const quarter = used(policy('quarter', { granularity: 'minute', step: 15, output: 5 }), { received: 5n });
  const error = refusal(daily, quarter);
  expect(error?.message).toBe(
    'The policy quarter allows the model chat 5 received tokens in 15 minutes, which are used up until 2026-11-19T10:30:00.000Z. ' +
      'All 2 token policies of the model are used up; the most generous one counts.',
  );
  expect(error?.details.retryAfterSeconds).toBe(737.5);
});

const budget = (name: string, nanoUsd: bigint, own: bigint, others = 0n) => ({
  limit: { id: name, name, nanoUsd },
  counter: {
    window: windowAt(now, { step: 1, granularity: 'month' }),
    own: { ...noSums, nanoUsd: own },
    others: { ...noSums, nanoUsd: others },
  },
});

test('every budget has to have room, to the last 10⁻⁹ USD', () => {
  const usd = 10n ** 9n;
  expect(budgetRefusal([])).toBeUndefined();
  expect(budgetRefusal([budget('a', usd, usd - 2n, 1n), budget('b', 2n * usd, usd)])).toBeUndefined();
  expect(budgetRefusal([budget('a', 9n * usd, 0n), budget('b', usd, usd - 2n, 2n)])).toMatchObject({
    code: 'USAGE_LIMIT_EXCEEDED',
    message: 'The budget b for models, 1 USD a month, is used up until 2026-12-01T00:00:00.000Z.',
    details: { limit: 'budget' },
  });
});

test('a missing price is named with its setting', () => {
  const { code, message, details } = priceMissing(
    { provider: 'openai', model: 'o9' },
    { id: 'b', name: 'all', nanoUsd: 1n },
  );
  expect(code).toBe('USAGE_LIMIT_EXCEEDED');
  expect(message).toBe(
    'The budget all counts what models cost, and this deployment has no price for the model o9 of openai.',
  );
  expect(details.action).toContain('Ask the operator to add the price of o9 to gateway.models.prices');
});
