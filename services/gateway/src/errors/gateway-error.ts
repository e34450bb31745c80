// Renders an error of the table as a response of the gateway.
import type { Brand } from '@berth/contract';
import { type ErrorEntry, type GatewayCode, gatewayErrors } from './error-table.ts';

export interface ErrorDetails {
  /** Replaces the message of the table; public. */
  readonly message?: string;
  /** For POLICY_VIOLATION, whose status depends on the policy. */
  readonly status?: number;
  /** Answered as Retry-After. Errors before dispatch have that header without it too. */
  readonly retryAfterSeconds?: number | undefined;
  /** Replaces the text of the table; so does `doNot`. */
  readonly action?: string;
  readonly doNot?: string;
  /** Limit that refused the request, by its name in the metrics. */
  readonly limit?: RefusingLimit;
}

export type RefusingLimit = 'lookups' | 'key' | 'address' | 'starts' | 'calls' | 'models' | 'tokens' | 'budget';

export interface ErrorContext {
  readonly brand: Brand;
  /** Address of the page that explains the codes. */
  readonly docsUrl: string;
  readonly requestId: string;
  readonly now: number;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const usualRetryAfterSeconds = 1;

/** Headers that mark a response as the platform's own; responses of a workload never carry them. */
export const platformHeaders = (brand: Brand) => ({
  source: `X-${brand.long}-Source`,
  errorCode: `X-${brand.long}-Error-Code`,
  dispatchState: `X-${brand.long}-Dispatch-State`,
});

/** Response without its time and request id. */
interface PreparedAnswer {
  readonly brand: Brand;
  readonly docsUrl: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly beforeTime: string;
  readonly afterTime: string;
}

const timeLength = new Date(0).toISOString().length;

function prepareAnswer(code: GatewayCode, brand: Brand, docsUrl: string, details: ErrorDetails): PreparedAnswer {
  const entry: ErrorEntry = gatewayErrors[code];
  const { message = entry.message, status = entry.status, action = entry.action, doNot = entry.doNot } = details;
  const { retryAfterSeconds = entry.isNotDispatched ? usualRetryAfterSeconds : undefined } = details;
  const names = platformHeaders(brand);
  const before = JSON.stringify({
    code,
    message,
    status,
    retryable: entry.retryable,
    action,
    do_not: doNot,
    docs_url: `${docsUrl}#${code.toLowerCase()}`,
    origin: 'platform',
  });
  const beforeTime = `{"error":${before.slice(0, -1)},"timestamp":"`;
  const afterTime = entry.isNotDispatched
    ? '","dispatch_state":"not_dispatched","safe_to_retry_request":true}}'
    : '"}}';
  return {
    ...{ brand, docsUrl, status, beforeTime, afterTime },
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(beforeTime) + timeLength + afterTime.length),
      'Cache-Control': 'no-store',
      [names.source]: 'platform',
      [names.errorCode]: code,
      ...(entry.isNotDispatched ? { [names.dispatchState]: 'not_dispatched' } : {}),
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterSeconds)) }),
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
  };
}

export class GatewayError extends Error {
  readonly code: GatewayCode;
  readonly details: ErrorDetails;
  // Cached response: errors that are created once are answered many times.
  #prepared: PreparedAnswer | undefined;

  constructor(code: GatewayCode, details: ErrorDetails = {}, cause?: unknown) {
    super(details.message ?? gatewayErrors[code].message, cause === undefined ? undefined : { cause });
    this.name = 'GatewayError';
    this.code = code;
    this.details = details;
  }

  answer({ brand, docsUrl, requestId, now }: ErrorContext): ErrorAnswer {
    if (this.#prepared?.brand !== brand || this.#prepared.docsUrl !== docsUrl)
      this.#prepared = prepareAnswer(this.code, brand, docsUrl, this.details);
    const { status, headers, beforeTime, afterTime } = this.#prepared;
    return {
      status,
      headers: { ...headers, 'X-Request-Id': requestId },
      body: beforeTime + new Date(now).toISOString() + afterTime,
    };
  }
}

export const errorAnswer = (code: GatewayCode, context: ErrorContext, details?: ErrorDetails): ErrorAnswer =>
  new GatewayError(code, details).answer(context);
