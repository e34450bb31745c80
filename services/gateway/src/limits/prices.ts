// What a request cost at its provider, in exact integers. Pure.
import { attoUsd } from '@berth/usage';
import type { PricedModel } from './model-limits.ts';
import type { ModelPrice } from './model-prices.ts';
import { countOf } from './sums.ts';
import type { Tokens } from './tokens.ts';

/** In 10⁻¹⁸ USD for 10⁶ tokens. */
export interface TokenPrices {
  readonly sent: bigint;
  readonly cached: bigint;
  readonly received: bigint;
}

export interface Prices {
  /** Undefined where no price is valid. */
  at(priced: PricedModel, nowMs: number): TokenPrices | undefined;
}

interface Candidate extends TokenPrices {
  readonly matches: (model: string) => boolean;
  /** The exact name is more specific than the beginning of a name, and a long beginning more than a short one. */
  readonly specificity: number;
  readonly fromMs: number;
}

const candidateOf = ({ model, validFrom, sent, cached = sent, received }: ModelPrice): Candidate => {
  const beginning = model.endsWith('*') ? model.slice(0, -1) : undefined;
  return {
    matches: beginning === undefined ? (name) => name === model : (name) => name.startsWith(beginning),
    specificity: beginning?.length ?? Number.POSITIVE_INFINITY,
    fromMs: Date.parse(validFrom),
    ...{ sent: attoUsd(sent), cached: attoUsd(cached), received: attoUsd(received) },
  };
};

/** Infinity minus itself is no number, so exact names are compared by their equality. */
const bestFirst = (one: Candidate, other: Candidate): number =>
  one.specificity === other.specificity ? other.fromMs - one.fromMs : other.specificity - one.specificity;

export function createPrices(prices: readonly ModelPrice[]): Prices {
  const byProvider = new Map(
    [...Map.groupBy(prices, ({ provider }) => provider)].map(([provider, same]) => [
      provider,
      same.map(candidateOf).sort(bestFirst),
    ]),
  );
  return {
    at: ({ provider, model }, nowMs) =>
      byProvider.get(provider)?.find(({ matches, fromMs }) => fromMs <= nowMs && matches(model)),
  };
}

/** 10⁻¹⁸ USD in one of 10⁻⁹, times the tokens that a price is for. */
const divisor = 10n ** 9n * 10n ** 6n;

/** Cost of a request in 10⁻⁹ USD, rounded up. */
export function nanoUsdOf(prices: TokenPrices, tokens: Tokens): bigint {
  const sent = countOf(tokens.sent);
  const cached = countOf(Math.min(tokens.cached, tokens.sent));
  const cost = (sent - cached) * prices.sent + cached * prices.cached + countOf(tokens.received) * prices.received;
  return (cost + divisor - 1n) / divisor;
}
