// Response headers as the caller of a model receives them. Pure.
import type { Brand } from '@berth/contract';
import { isolateResponse } from '../http/browser-isolation.ts';
import { type HeaderMap, setHeaders } from '../http/header-map.ts';
import { pairsOf } from '../http/hop-by-hop.ts';
import { withoutPlatformHeaders } from '../http/platform-headers.ts';
import type { KeyFilter } from './key-filter.ts';

export interface Answering {
  readonly brand: Brand;
  readonly filter: KeyFilter;
  /** Path of the model on a shared host; empty on a host of its own. */
  readonly base: string;
  /** The body may become shorter. */
  readonly dropsBytes: boolean;
  /** Number of connections that were tried. */
  readonly attempts: number;
  /** For every response to the request, such as those for a page of a browser. */
  readonly own: HeaderMap;
}

const attemptsHeader = (brand: Brand): string => `X-${brand.long}-Provider-Attempts`;

/** Cookies of a provider are not for its customers' browsers. Takes and returns names and values in turn. */
export function answerHeaders(
  rawHeaders: readonly string[],
  { brand, filter, base, dropsBytes, attempts, own }: Answering,
): string[] {
  const headers: string[] = [];
  for (const [name, value] of pairsOf(withoutPlatformHeaders(rawHeaders, brand))) {
    const lower = name.toLowerCase();
    if (lower === 'set-cookie' || (dropsBytes && lower === 'content-length')) continue;
    headers.push(filter.text(name), filter.text(value));
  }
  headers.push(attemptsHeader(brand), String(attempts));
  return isolateResponse(setHeaders(headers, own), { domain: undefined, path: base });
}
