// Pages of browsers that may call the service with a key. A page has to hold the key itself: no cookie counts here, so a page of
// another origin gains nothing from its visitor.
import { z } from 'zod';
import { type Brand, headerNames } from './brand.ts';

export const BrowserOrigins = z
  .array(
    z.union([z.literal('*'), z.string().regex(/^https?:\/\/[^/]+$/, 'an origin, for example https://app.example')]),
  )
  .default([])
  .describe(
    'Origins of pages that may call with a key (CORS), for example https://app.example; * stands for all. None by default: programs outside of browsers need no entry.',
  );

interface AskingPage {
  readonly method: string | undefined;
  readonly origin: string | undefined;
  /** Method that the page wants to use; only a preflight names it. */
  readonly requestMethod: string | undefined;
}

export interface PageAnswer {
  /** For every answer to the page. */
  readonly headers: Readonly<Record<string, string>>;
  /** The browser asks whether the page may send its request. The answer is 204, with these headers. */
  readonly preflight: Readonly<Record<string, string>> | undefined;
}

/** Browsers may keep the answer to a preflight for so long. */
const keptSeconds = 600;

/** Undefined for requests that come from no page, or from one that may not read answers. */
export function createPages(origins: readonly string[], brand: Brand): (asked: AskingPage) => PageAnswer | undefined {
  const names = headerNames(brand);
  const sent = [
    ...['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'Range'],
    ...['Mcp-Session-Id', 'Mcp-Protocol-Version', 'Last-Event-Id'],
    ...[names.authorization, names.workspace, names.version, names.threadId],
  ];
  const shown = ['Content-Disposition', 'Content-Range', 'ETag', 'Mcp-Session-Id', 'Retry-After', 'X-Request-Id'];
  const isForAll = origins.includes('*');
  return ({ method, origin, requestMethod }) => {
    if (origin === undefined || !(isForAll || origins.includes(origin))) return undefined;
    const headers = {
      'Access-Control-Allow-Origin': isForAll ? '*' : origin,
      'Access-Control-Expose-Headers': [...shown, names.invocationId].join(', '),
    };
    if (method !== 'OPTIONS' || requestMethod === undefined) return { headers, preflight: undefined };
    return {
      headers,
      preflight: {
        ...headers,
        'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': sent.join(', '),
        'Access-Control-Max-Age': String(keptSeconds),
      },
    };
  };
}
