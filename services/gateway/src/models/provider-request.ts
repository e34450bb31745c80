// The request as the provider receives it: its address, and its headers. Pure.
import { keyHeaderValue, type ProviderEndpoint } from '@berth/contract';
import { pairsOf } from '../http/hop-by-hop.ts';
import { plainName } from '../http/raw-headers.ts';
import type { FoundModel, ModelConnection } from './model.ts';

/** `path` is one of the provider's own paths, with names in braces for values of the connection. */
export function providerPath({ base, provider, config }: ModelConnection, path: string): string {
  // The query is the client's own.
  const [template, query] = splitQuery(path);
  const place = template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    config[name] === undefined ? whole : encodeURIComponent(config[name]),
  );
  if (provider.query === undefined) return `${base.path}${place}${query === '' ? '' : `?${query}`}`;
  const own = Object.entries(provider.query)
    .filter(([name]) => !hasParameter(query, name))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(valueIn(value, config))}`);
  const full = [query, ...own].filter((part) => part !== '').join('&');
  return `${base.path}${place}${full === '' ? '' : `?${full}`}`;
}

function splitQuery(path: string): [place: string, query: string] {
  const at = path.indexOf('?');
  return at === -1 ? [path, ''] : [path.slice(0, at), path.slice(at + 1)];
}

const hasParameter = (query: string, name: string): boolean => new URLSearchParams(query).has(name);

/** `{NAME}` stands for a value of the connection. */
const valueIn = (text: string, config: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => config[name] ?? '');

/** Headers of a client that are a provider's business. All others are the client's and the platform's. */
const passed = new Set(['accept', 'accept-language', 'content-type', 'user-agent', 'idempotency-key']);

/** Takes and returns names and values in turn. */
export function providerHeaders(
  rawHeaders: readonly string[],
  { provider, key, config }: Pick<ModelConnection, 'provider' | 'key' | 'config'>,
  { keyHeader = provider.keyHeader }: Pick<ProviderEndpoint, 'keyHeader'>,
  { organization }: Pick<FoundModel, 'organization'>,
): string[] {
  const passes = new Set(provider.passes ?? []);
  const headers: string[] = [];
  const names = new Set<string>();
  for (const [name, value] of pairsOf(rawHeaders)) {
    const plain = plainName(name);
    // A name with underscores may be another header to the provider than it is here.
    if (plain !== name.toLowerCase() || !(passed.has(plain) || passes.has(plain))) continue;
    headers.push(name, value);
    names.add(plain);
  }
  for (const [name, value] of Object.entries(provider.headers ?? {}))
    if (!names.has(name.toLowerCase())) headers.push(name, valueIn(value, config));
  const { organizationHeader } = provider;
  if (organizationHeader !== undefined && organization !== undefined) headers.push(organizationHeader, organization);
  // An encoded answer could not be read for its tokens.
  headers.push('accept-encoding', 'identity', keyHeader, keyHeaderValue(keyHeader, key));
  return headers;
}
