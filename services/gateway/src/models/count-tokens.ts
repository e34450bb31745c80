// Counts what a request to a model used: by the provider's own numbers, or by an estimate where it told none.
import { Counter, type Registry } from '@berth/telemetry';
import type { ModelLimits } from '../limits/model-limits.ts';
import type { Tokens } from '../limits/tokens.ts';
import type { Tally } from '../proxy/outcome.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { FoundModel } from './model.ts';
import type { Tried } from './try-connections.ts';

/** Returns the fields of the log line. */
export type CountTokens = (model: FoundModel, tried: Tried, tally: Tally) => Readonly<Record<string, unknown>>;

export function createCountTokens(limits: Pick<ModelLimits, 'count'>, registry: Registry): CountTokens {
  const counted = new Counter({
    name: 'berth_gateway_model_tokens_total',
    help: 'Tokens of requests to models, by provider and direction.',
    labelNames: ['provider', 'direction'],
    registers: [registry],
  });
  const byProvider = new Map<string, { readonly sent: Counter.Internal; readonly received: Counter.Internal }>();

  /** The metric would look up its labels for every request. */
  function countersOf(provider: string) {
    const known = byProvider.get(provider);
    if (known !== undefined) return known;
    const made = {
      sent: counted.labels({ provider, direction: 'sent' }),
      received: counted.labels({ provider, direction: 'received' }),
    };
    byProvider.set(provider, made);
    return made;
  }

  return (model, tried, tally) => {
    const { attempt, attempts } = tried;
    const { provider, model: providerModel } = attempt.priced;
    const used = usedTokens(tried, tally);
    const fields = { provider, model: providerModel, attempts };
    if (used === undefined) return fields;
    const { tokens, isEstimated } = used;
    const counters = countersOf(provider);
    counters.sent.inc(tokens.sent);
    counters.received.inc(tokens.received);
    limits.count(model, attempt.priced, tokens);
    // The log removes fields whose names speak of tokens.
    return { ...fields, used: tokens, isEstimated };
  };
}

interface Used {
  readonly tokens: Tokens;
  readonly isEstimated: boolean;
}

/** Undefined for a request that used nothing: it reached no provider, the provider refused it, or its endpoint counts none. */
function usedTokens({ attempt, reader }: Tried, { status, dispatchState }: Tally): Used | undefined {
  const { endpoint, prepared } = attempt;
  const told = reader?.tokens();
  if (told !== undefined) return { tokens: told, isEstimated: false };
  const isRefused = status !== undefined && (status < 200 || status >= 300);
  const countsNone = endpoint.tokens === undefined && endpoint.streamTokens === undefined;
  if (dispatchState === 'not_dispatched' || isRefused || countsNone) return undefined;
  const sentBytes = prepared.body.length;
  const tokens = reader?.estimate(sentBytes) ?? estimateTokens({ sentBytes, receivedBytes: 0 });
  return { tokens, isEstimated: true };
}
