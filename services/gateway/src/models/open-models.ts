// All that serves requests to models: their cache, their limits and the connections to providers.
import type { Database } from '@berth/database';
import type { Authenticator } from '@berth/identity';
import type { Registry } from '@berth/telemetry';
import { createGatekeeper } from '../access/gatekeeper.ts';
import { createModelLimits } from '../limits/create-model-limits.ts';
import type { ModelPrices } from '../limits/model-prices.ts';
import type { LookupCacheOptions } from '../routing/lookup-cache.ts';
import type { NoticeLog } from '../routing/notice-log.ts';
import { type CallProviderOptions, createCallProvider } from './call-provider.ts';
import { createCountTokens } from './count-tokens.ts';
import { createModelCache } from './model-cache.ts';
import type { ModelSecrets } from './model-query.ts';
import { createServeModel, type ServeModel, type ServeModelOptions } from './serve-model.ts';

export interface ModelsOptions
  extends Pick<ServeModelOptions, 'brand' | 'callers' | 'calls' | 'isTrusted' | 'streams' | 'maxBodyBytes'>,
    Pick<ModelSecrets, 'keyring' | 'addresses'>,
    Pick<LookupCacheOptions, 'database' | 'lookupLanes' | 'logger'>,
    Pick<CallProviderOptions, 'answerMs' | 'silentMs' | 'allowedRanges'> {
  readonly notices: NoticeLog;
  /** For sums of limits alone: a statement that is given up must not hold a connection of lookups. */
  readonly limitDatabase: Database;
  readonly prices: ModelPrices;
  readonly authenticator: Authenticator;
  readonly registry: Registry;
}

export interface Models {
  readonly serve: ServeModel;
  /** Ends requests that are under way, and writes what they used. */
  close(): Promise<void>;
}

export function openModels(options: ModelsOptions): Models {
  const { authenticator, brand, limitDatabase, logger, notices, prices, registry } = options;
  const cache = createModelCache(notices, options, options);
  const limits = createModelLimits({ database: limitDatabase, prices, logger });
  const provider = createCallProvider(options);
  return {
    serve: createServeModel({
      ...options,
      gatekeeper: createGatekeeper({ authenticator, cache, brand, scopeOf: () => 'models:call' }),
      limits,
      provider,
      countTokens: createCountTokens(limits, registry),
    }),
    async close() {
      await provider.close();
      await limits.close();
    },
  };
}
