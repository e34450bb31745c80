// Headers that a preview adds to requests and responses. Raw headers are names and values in turn.
import type { Brand } from '@berth/contract';
import { browserHeaders } from '@berth/contract/guest';
import { pairsOf } from '../proxy/hop-by-hop.ts';
import type { Preview } from '../routing/preview.ts';

type HeaderMap = Readonly<Record<string, string>>;

/**
 * Headers for every response, also for those that the gateway makes. Pages of every origin may read responses of a
 * sandbox's API.
 */
export const previewAnswerHeaders = ({ port, responseHeaders }: Preview, brand: Brand): HeaderMap =>
  port === undefined ? over(browserHeaders(brand), responseHeaders) : responseHeaders;

export const noHeaders: HeaderMap = {};

/** Sets each of `headers` once and removes other values of the same name. */
export function setHeaders(raw: readonly string[], headers: HeaderMap): string[] {
  const names = lowerNames(headers);
  const others = [...pairsOf(raw)].filter(([name]) => !names.has(name.toLowerCase()));
  return [...others, ...Object.entries(headers)].flat();
}

/** Merges both maps; where both have a name, `headers` wins. */
export function over(first: HeaderMap, headers: HeaderMap): HeaderMap {
  if (first === noHeaders) return headers;
  const names = lowerNames(headers);
  const kept = Object.entries(first).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...headers };
}

const lowerNames = (headers: HeaderMap): Set<string> => new Set(Object.keys(headers).map((name) => name.toLowerCase()));
