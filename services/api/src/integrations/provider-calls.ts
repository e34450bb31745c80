// Requests of the api to providers of models.
import { callAddress, type Provider, type ProviderSettings } from '@berth/contract';
import { createGet, type GotAnswer } from '@berth/outward';
import { createConnectionShares } from '../http/connection-shares.ts';

export interface ProviderCalls {
  /** Without a slash at its end; undefined where the connection has no usable one. */
  addressOf(provider: Provider, config: Readonly<Record<string, string>>): string | undefined;
  /** Throws `OutwardError` when there is no answer. */
  get(accountId: string, url: string, headers: Readonly<Record<string, string>>): Promise<GotAnswer>;
}

/** Requests of one account at the same time; further ones wait. A provider may take ten seconds. */
const maxPerAccount = 4;

export function createProviderCalls({ allowedRanges, addresses }: ProviderSettings): ProviderCalls {
  const get = createGet({ allowedRanges });
  const shares = createConnectionShares(maxPerAccount);
  return {
    addressOf: (provider, config) => callAddress(provider, config, addresses),
    get: (accountId, url, headers) => shares.run(accountId, () => get(url, headers)),
  };
}
