// Requests of the api to providers of models.
import { type Provider, providerAddress } from '@berth/contract';
import { createGet, type GotAnswer } from '@berth/outward';
import { createConnectionShares } from '../http/connection-shares.ts';

export interface ProviderSettings {
  /** Addresses that may be called although they are not on the internet. */
  readonly allowedRanges: readonly string[];
  /** Addresses of the operator's own in front of providers, by the name of the provider. */
  readonly addresses: Readonly<Record<string, string | undefined>>;
}

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
    addressOf: (provider, config) => addresses[provider.name]?.replace(/\/+$/, '') ?? providerAddress(provider, config),
    get: (accountId, url, headers) => shares.run(accountId, () => get(url, headers)),
  };
}
