// What a connection tells about its provider: the key, and the address. Pure.
import type { KeyHeader, Provider } from './provider.ts';

type Values = Readonly<Record<string, string>>;

/** `AZURE_OPENAI_SERVICE_API_KEY` for `azure-openai-service`. */
export const keyNameOf = ({ name }: Pick<Provider, 'name'>): string =>
  `${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;

/** Keys are often pasted with a line break. Other characters than visible ASCII cannot stand in a header. */
function usable(value: string | undefined): string | undefined {
  const key = value?.trim() ?? '';
  return /^[\x21-\x7e]+$/.test(key) ? key : undefined;
}

/** The key in a connection's secret: `API_KEY`, else that of the provider's name, else the only entry. */
export function providerKey(provider: Pick<Provider, 'name'>, secret: Values): string | undefined {
  const entries = new Map(Object.entries(secret));
  const [only] = entries.size === 1 ? entries.values() : [];
  return usable(entries.get('API_KEY')) ?? usable(entries.get(keyNameOf(provider))) ?? usable(only);
}

export const keyHeaderValue = (header: KeyHeader, key: string): string =>
  header === 'authorization' ? `Bearer ${key}` : key;

/** What an operator says about providers. */
export interface ProviderSettings {
  /** Addresses that may be called although they are not on the internet. */
  readonly allowedRanges: readonly string[];
  /** Addresses of the operator's own in front of providers, by the name of the provider. */
  readonly addresses: OwnAddresses;
}

type OwnAddresses = Readonly<Record<string, string | undefined>>;

export const noProviderSettings: ProviderSettings = { allowedRanges: [], addresses: {} };

/**
 * Base address of the requests of a connection, without a slash at its end; undefined where `BASE_URL` is missing or is no
 * plain address. A provider with an address of its own is reached there alone: a key is stored for that provider, its
 * requests are priced as that provider's, and `BASE_URL` may be changed by people who may not read the key.
 */
export function providerAddress(provider: Pick<Provider, 'baseUrl'>, config: Values): string | undefined {
  if (provider.baseUrl !== undefined) return provider.baseUrl;
  const text = new Map(Object.entries(config)).get('BASE_URL')?.trim() ?? '';
  // The parser would drop an empty query and fragment.
  if (/[?#]/.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Where requests go: to the operator's own address in front of the provider, else to the provider's. */
export const callAddress = (
  provider: Pick<Provider, 'name' | 'baseUrl'>,
  config: Values,
  own: OwnAddresses,
): string | undefined => own[provider.name]?.replace(/\/+$/, '') ?? providerAddress(provider, config);
