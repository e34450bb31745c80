// What a preview adds to requests and answers. Names and values in turn, as they came in and as they go out.
import type { Brand } from '@berth/contract';
import { browserHeaders } from '@berth/contract/guest';
import { pairsOf } from '../proxy/hop-by-hop.ts';
import type { Preview } from '../routing/preview.ts';

type HeaderMap = Readonly<Record<string, string>>;

/** On every answer, also on those that the gateway makes. Pages of every origin may read what the API of a sandbox says. */
export const previewAnswerHeaders = ({ port, responseHeaders }: Preview, brand: Brand): HeaderMap =>
  port === undefined ? over(browserHeaders(brand), responseHeaders) : responseHeaders;

export const noHeaders: HeaderMap = {};

/** Each of `headers` once, whatever was there by its name. */
export function setHeaders(raw: readonly string[], headers: HeaderMap): string[] {
  const names = lowerNames(headers);
  const others = [...pairsOf(raw)].filter(([name]) => !names.has(name.toLowerCase()));
  return [...others, ...Object.entries(headers)].flat();
}

/** `first` where nothing of `headers` has its name. */
export function over(first: HeaderMap, headers: HeaderMap): HeaderMap {
  if (first === noHeaders) return headers;
  const names = lowerNames(headers);
  const kept = Object.entries(first).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...headers };
}

const lowerNames = (headers: HeaderMap): Set<string> => new Set(Object.keys(headers).map((name) => name.toLowerCase()));
