// Limits of models that several gateways enforce together. Requests are judged by sums in memory, which `limit-sync.ts` exchanges
// with the other gateways in the background. docs/decisions/020-models.md.
import { type Database, uuidv7 } from '@berth/database';
import type { Logger } from '@berth/telemetry';
import { type Counter, moneyOf, tokensOf } from './counter.ts';
import { createCounters } from './counters.ts';
import { budgetRefusal, limitsUnknown, priceMissing, tokenRefusal } from './limit-refusals.ts';
import { createLimitSync } from './limit-sync.ts';
import type { LimitedModel, ModelBudget, ModelLimits, PricedModel, TokenPolicy } from './model-limits.ts';
import type { ModelPrice } from './model-prices.ts';
import { createPrices, nanoUsdOf } from './prices.ts';
import { addSums, countOf } from './sums.ts';
import { syncWindows } from './sync-windows.ts';
import type { Tokens } from './tokens.ts';
import { createWindowClock } from './window-clock.ts';

export interface ModelLimitsOptions {
  readonly database: Database;
  /** Setting `gateway.models.prices`. */
  readonly prices: readonly ModelPrice[];
  readonly logger: Logger;
  readonly flushMs?: number;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

export interface FlushedModelLimits extends ModelLimits {
  /** Exchanges the sums with the other gateways, as it is done by itself every `flushMs`. */
  flush(): Promise<void>;
}

/** Sums that were read longer ago are read again before a request is judged. */
const freshMs = 1_000;
/** Time for which token policies are judged by what is known, while PostgreSQL does not answer. */
const staleMs = 60_000;
/** One for the clock, one for the sums, and more where windows turn meanwhile. */
const maxReads = 5;

interface Limit<Of> {
  readonly limit: Of;
  /** Of the present window. */
  readonly counter: Counter;
}

interface Limits {
  readonly nowMs: number;
  readonly tokens: readonly Limit<TokenPolicy>[];
  readonly money: readonly Limit<ModelBudget>[];
}

export function createModelLimits(options: ModelLimitsOptions): FlushedModelLimits {
  const { database, logger, flushMs = 250, now = () => performance.now() } = options;
  const prices = createPrices(options.prices);
  const clock = createWindowClock(now);
  const counters = createCounters(now, uuidv7);
  const sync = createLimitSync({
    ...{ counters, clock, logger, flushMs, now },
    sync: (sent) => syncWindows(database, sent),
  });

  /** Undefined before the clock of windows is known. */
  function limitsOf({ uid, policies, budgets }: LimitedModel): Limits | undefined {
    const nowMs = clock.now();
    if (nowMs === undefined) return undefined;
    return {
      nowMs,
      tokens: policies.map((limit) => ({ limit, counter: counters.at(tokensOf(uid, limit), nowMs) })),
      money: budgets.map((limit) => ({ limit, counter: counters.at(moneyOf(limit), nowMs) })),
    };
  }

  const isReadWithin = (ms: number, { read }: Counter): boolean => read !== undefined && now() - read.atMs < ms;
  const isUnread = (counter: Counter): boolean => !sync.isAway() && !isReadWithin(freshMs, counter);
  const unreadOf = ({ tokens, money }: Limits): Counter[] =>
    [...tokens, ...money].map(({ counter }) => counter).filter(isUnread);

  /** Money is spent outside, so budgets are judged by fresh sums alone. */
  const isUnknowable = (found: Limits | undefined): boolean =>
    sync.isAway() &&
    (found === undefined ||
      found.money.length > 0 ||
      found.tokens.some(({ counter }) => !isReadWithin(staleMs, counter)));

  function judge(model: LimitedModel, priced: PricedModel, { nowMs, tokens, money }: Limits): void {
    const [budget] = model.budgets;
    if (budget !== undefined && prices.at(priced, nowMs) === undefined) throw priceMissing(priced, budget);
    const refusal = budgetRefusal(money) ?? tokenRefusal(model, tokens, nowMs);
    if (refusal !== undefined) throw refusal;
  }

  async function judgeAfterReading(model: LimitedModel, priced: PricedModel): Promise<void> {
    for (let reads = 0; reads < maxReads; reads += 1) {
      const found = limitsOf(model);
      if (isUnknowable(found)) break;
      const unread = found === undefined ? [] : unreadOf(found);
      if (found !== undefined && unread.length === 0) return judge(model, priced, found);
      await sync.read(unread);
    }
    throw limitsUnknown;
  }

  function costOf(priced: PricedModel, tokens: Tokens, nowMs: number): bigint {
    const price = prices.at(priced, nowMs);
    if (price !== undefined) return nanoUsdOf(price, tokens);
    logger.error(
      { event: 'gateway.model_price_missing', ...priced },
      'request to a model under a budget was served without a price; its cost is not counted',
    );
    return 0n;
  }

  return {
    check(model, priced) {
      if (model.policies.length === 0 && model.budgets.length === 0) return;
      const found = limitsOf(model);
      if (isUnknowable(found)) throw limitsUnknown;
      if (found === undefined || unreadOf(found).length > 0) return judgeAfterReading(model, priced);
      judge(model, priced, found);
    },
    count(model, priced, tokens) {
      const found = limitsOf(model);
      // Without a clock nothing was checked, so the model had no limits.
      if (found === undefined) return;
      const sums = { sent: countOf(tokens.sent), received: countOf(tokens.received), nanoUsd: 0n };
      for (const { counter } of found.tokens) counter.own = addSums(counter.own, sums);
      if (found.money.length === 0) return;
      const cost = { ...sums, nanoUsd: costOf(priced, tokens, found.nowMs) };
      for (const { counter } of found.money) counter.own = addSums(counter.own, cost);
    },
    flush: sync.flush,
    close: sync.close,
  };
}
