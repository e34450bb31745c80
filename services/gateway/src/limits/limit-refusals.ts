// Which limit of a model is used up, and what its caller is told. Pure.
import { exactDecimal } from '@berth/usage';
import { GatewayError } from '../errors/gateway-error.ts';
import { type Counter, totalOf } from './counter.ts';
import type { LimitedModel, ModelBudget, PricedModel, TokenPolicy } from './model-limits.ts';

/** A limit, and the counter of its present window. */
export interface Used<Limit> {
  readonly limit: Limit;
  readonly counter: Pick<Counter, 'window' | 'own' | 'others'>;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** A number that is 0 or absent is not checked. */
const isReached = (limit: number | undefined, used: bigint): boolean =>
  limit !== undefined && limit > 0 && used >= BigInt(limit);

/** The numbers of a policy that are reached, in words. */
function reachedNumbers({ limit: { input, output, total }, counter }: Used<TokenPolicy>): string[] {
  const sums = totalOf(counter);
  return [
    ...(isReached(input, sums.sent) ? [`${input} sent tokens`] : []),
    ...(isReached(output, sums.received) ? [`${output} received tokens`] : []),
    ...(isReached(total, sums.sent + sums.received) ? [`${total} tokens`] : []),
  ];
}

const lengthOf = ({ step, granularity }: TokenPolicy): string =>
  step === 1 ? `one ${granularity}` : `${step} ${granularity}s`;

/** Policies of one type combine by union: a request is refused only when all of them are used up. */
export function tokenRefusal(
  { name }: LimitedModel,
  policies: readonly Used<TokenPolicy>[],
  nowMs: number,
): GatewayError | undefined {
  const reached = policies.map((policy) => ({ ...policy, numbers: reachedNumbers(policy) }));
  if (reached.some(({ numbers }) => numbers.length === 0)) return undefined;
  const [first] = reached.toSorted((one, other) => one.counter.window.endMs - other.counter.window.endMs);
  if (first === undefined) return undefined;
  const { limit, numbers } = first;
  const { endMs } = first.counter.window;
  const several =
    policies.length > 1
      ? ` All ${policies.length} token policies of the model are used up; the most generous one counts.`
      : '';
  return new GatewayError('POLICY_VIOLATION', {
    status: 429,
    message: `The policy ${limit.name} allows the model ${name} ${numbers.join(' and ')} in ${lengthOf(limit)}, which are used up until ${timeOf(endMs)}.${several}`,
    action:
      'Send the request again after the time in Retry-After, or ask an admin of the workspace for a higher limit.',
    doNot: 'Do not retry before that.',
    retryAfterSeconds: (endMs - nowMs) / 1_000,
    limit: 'tokens',
  });
}

/** Every budget has to have room. */
export function budgetRefusal(budgets: readonly Used<ModelBudget>[]): GatewayError | undefined {
  const full = budgets.find(({ limit, counter }) => totalOf(counter).nanoUsd >= limit.nanoUsd);
  if (full === undefined) return undefined;
  const { name, nanoUsd } = full.limit;
  return new GatewayError('USAGE_LIMIT_EXCEEDED', {
    message: `The budget ${name} for models, ${exactDecimal(nanoUsd, 9)} USD a month, is used up until ${timeOf(full.counter.window.endMs)}.`,
    action: 'Ask an admin of the account for a higher budget, or wait until the month is over.',
    doNot: 'Do not retry until the budget has changed.',
    limit: 'budget',
  });
}

export const priceMissing = ({ provider, model }: PricedModel, { name }: ModelBudget): GatewayError =>
  new GatewayError('USAGE_LIMIT_EXCEEDED', {
    message: `The budget ${name} counts what models cost, and this deployment has no price for the model ${model} of ${provider}.`,
    action: `Ask the operator to add the price of ${model} to gateway.models.prices, or use a model that has one.`,
    doNot: 'Do not retry before there is a price.',
    limit: 'budget',
  });

/** Created once: while PostgreSQL is away it refuses every request. */
export const limitsUnknown = new GatewayError('PLATFORM_UNAVAILABLE', {
  message: 'What is left of the limits of the model cannot be read right now.',
  doNot: 'Do not change the limits: they were not judged.',
});
