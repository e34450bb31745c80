// Sets and merges headers given as a map. Names are compared without regard to case.
import { pairsOf } from './hop-by-hop.ts';

export type HeaderMap = Readonly<Record<string, string>>;

export const noHeaders: HeaderMap = {};

/** Sets each of `headers` once and removes other values of the same name. */
export function setHeaders(raw: readonly string[], headers: HeaderMap): string[] {
  if (headers === noHeaders) return [...raw];
  const names = lowerNames(headers);
  const others = [...pairsOf(raw)].filter(([name]) => !names.has(name.toLowerCase()));
  return [...others, ...Object.entries(headers)].flat();
}

/** Merges both maps; where both have a name, `headers` wins. */
export function mergeHeaders(first: HeaderMap, headers: HeaderMap): HeaderMap {
  if (first === noHeaders) return headers;
  const names = lowerNames(headers);
  const kept = Object.entries(first).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...headers };
}

const lowerNames = (headers: HeaderMap): Set<string> => new Set(Object.keys(headers).map((name) => name.toLowerCase()));
