// All error responses that the gateway makes itself. Control-plane sheet 4.12; docs/gateway-errors.md holds the same
// table.
import type { Brand } from '@berth/contract';

interface ErrorEntry {
  readonly status: number;
  readonly retryable: boolean;
  readonly message: string;
  /** The next step for the caller; `doNot` names a step that would not help. */
  readonly action: string;
  readonly doNot: string;
  /** Nothing of the request has reached a workload, so the client may send it again. */
  readonly isNotDispatched?: true;
}

export const gatewayErrors = {
  ROUTE_NOT_FOUND: {
    status: 404,
    retryable: false,
    message: 'No workload answers at an address of this form.',
    action:
      'Use the address in metadata.url of the workload, or /{workspace}/{agents, functions or sandboxes}/{name} at a host name of the gateway itself, which its operator lists as gateway.hosts.',
    doNot: 'Do not retry the same address.',
  },
  WORKLOAD_NOT_FOUND: {
    status: 404,
    retryable: false,
    message: 'There is no such workload, or the credential does not reach its workspace.',
    action: 'Check the names of the workspace and the workload, and whose credential is sent.',
    doNot: 'Do not retry without a change.',
  },
  WORKSPACE_NOT_FOUND: {
    status: 404,
    retryable: false,
    message: 'There is no such workspace, or the credential does not reach it.',
    action: 'Check the name of the workspace, and whose credential is sent.',
    doNot: 'Do not retry without a change.',
  },
  WORKLOAD_UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'No instance of the workload could take the request.',
    action: 'Send the request again after the time in Retry-After.',
    doNot: 'Do not create the workload anew.',
    isNotDispatched: true,
  },
  PORT_UNREACHABLE: {
    status: 502,
    retryable: true,
    message: 'Nothing listens on that port of the sandbox.',
    action:
      'Start the server, let it listen on 0.0.0.0 or :: instead of a loopback address, and send the request again.',
    doNot: 'Do not create the sandbox anew.',
    isNotDispatched: true,
  },
  PLATFORM_UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'The platform cannot look up the caller or the workload right now.',
    action: 'Send the request again after the time in Retry-After.',
    doNot: 'Do not replace the credential: it was not judged.',
    isNotDispatched: true,
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    message: 'More requests came with this key, or from this address, than the gateway takes in a second.',
    action: 'Send the request again after the time in Retry-After, and fewer at once.',
    doNot: 'Do not retry at once: every try counts.',
    isNotDispatched: true,
  },
  LOOKUPS_BUSY: {
    status: 429,
    retryable: true,
    message:
      'Too many requests with keys, tokens or addresses that this gateway does not know yet are being looked up at once.',
    action: 'Send the request again after the time in Retry-After.',
    doNot: 'Do not replace the credential: it was not judged.',
    isNotDispatched: true,
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    retryable: false,
    message: 'No credential was given.',
    action: 'Send an API key as "Authorization: Bearer <key>".',
    doNot: 'Do not put the key into the address.',
  },
  AUTHENTICATION_FAILED: {
    status: 401,
    retryable: false,
    message: 'The credential is malformed, unknown, expired or revoked.',
    action: 'Send a valid API key as "Authorization: Bearer <key>".',
    doNot: 'Do not retry with the same credential.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    message: 'The credential may not do this.',
    action: 'Use a credential that may, or ask an admin of the workspace.',
    doNot: 'Do not retry with the same credential.',
  },
  BAD_REQUEST: {
    status: 400,
    retryable: false,
    message: 'The request is malformed.',
    action: 'Correct the request as the message says.',
    doNot: 'Do not retry without a change.',
  },
  USAGE_LIMIT_EXCEEDED: {
    status: 402,
    retryable: false,
    message: 'The limit of the account is used up.',
    action: 'Raise the limit, or wait until it starts anew.',
    doNot: 'Do not retry until the limit has changed.',
  },
  POLICY_VIOLATION: {
    status: 403,
    retryable: false,
    message: 'A policy of the workspace does not allow this request.',
    action: 'Change the request, or ask an admin of the workspace to change the policy.',
    doNot: 'Do not retry without a change.',
  },
  REQUEST_ENTITY_TOO_LARGE: {
    status: 413,
    retryable: false,
    message: 'The request body is larger than this address takes.',
    action: 'Send less in one request, or upload it in parts.',
    doNot: 'Do not retry with the same body.',
  },
  REQUEST_HEADERS_TOO_LARGE: {
    status: 431,
    retryable: false,
    message: 'The address and headers are too large together.',
    action: 'Send less in them.',
    doNot: 'Do not retry with the same headers.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retryable: true,
    message: 'The request did not arrive in time.',
    action: 'Send the request again.',
    doNot: 'Do not pause for long while sending.',
  },
  WORKLOAD_CONNECTION_LOST: {
    status: 502,
    retryable: false,
    message: 'The connection to the workload broke before it had answered.',
    action: 'Find out whether the request had an effect before it is sent again; the logs of the workload tell.',
    doNot: 'Do not retry blindly: the workload may have acted on the request.',
  },
  WORKLOAD_TIMEOUT: {
    status: 504,
    retryable: false,
    message: 'The workload did not answer in time.',
    action: 'Answer piece by piece, or call the workload asynchronously.',
    doNot: 'Do not retry blindly: the workload may still be at work on the request.',
  },
  INTERNAL_ERROR: {
    status: 500,
    retryable: false,
    message: 'Something went wrong on our side.',
    action: 'Report the request id if it persists.',
    doNot: 'Do not retry blindly: the workload may have acted on the request.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type GatewayCode = keyof typeof gatewayErrors;

export interface ErrorDetails {
  /** Replaces the message of the table; public. */
  readonly message?: string;
  /** For POLICY_VIOLATION, whose status depends on the policy. */
  readonly status?: number;
  readonly retryAfterSeconds?: number | undefined;
  /** Replaces the text of the table; so does `doNot`. */
  readonly action?: string;
  readonly doNot?: string;
  /** Limit that refused the request, by its name in the metrics. */
  readonly limit?: RefusingLimit;
}

export type RefusingLimit = 'lookups' | 'key' | 'address';

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
  const { retryAfterSeconds = usualRetryAfterSeconds } = details;
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
      ...(entry.isNotDispatched
        ? { [names.dispatchState]: 'not_dispatched', 'Retry-After': String(Math.ceil(retryAfterSeconds)) }
        : {}),
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
