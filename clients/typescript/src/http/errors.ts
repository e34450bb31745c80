// Errors of the client. Each carries what the service told: its code, its own sentence, and whether a repetition is safe.

export interface ErrorFacts {
  /** Stable name of the problem; `http_<status>` where the service gave none. */
  readonly code: string;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly docsUrl?: string | undefined;
  /** Nothing of the request has reached a workload, so it may be sent again whatever it does. */
  readonly notDispatched?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A request that failed. The message is that of the service where it gave one. */
export class BerthError extends Error {
  /** Stable name of the problem; `http_<status>` where the service gave none. */
  readonly code: string;
  /** Status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** Page that explains the problem. */
  readonly docsUrl: string | undefined;
  /** Nothing of the request has reached a workload. */
  readonly notDispatched: boolean;
  /** The service asks to wait this long. */
  readonly retryAfterMs: number | undefined;

  constructor(facts: ErrorFacts, options?: { cause?: unknown }) {
    super(facts.message, options);
    this.name = new.target.name;
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryable = facts.retryable ?? false;
    this.docsUrl = facts.docsUrl;
    this.notDispatched = facts.notDispatched ?? false;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** The request is not as the service wants it. */
export class InvalidRequestError extends BerthError {}
/** The key is missing, wrong, or may not do this. */
export class AccessError extends BerthError {}
/** There is no such thing, or the key does not reach it. */
export class NotFoundError extends BerthError {}
/** The name is taken, or the thing is in use. */
export class ConflictError extends BerthError {}
/** A limit of the account or of its money is used up. */
export class QuotaError extends BerthError {}
/** More requests than a limit allows at once. */
export class RateLimitedError extends BerthError {}
/** Nothing listens on the port of the sandbox. */
export class PortUnreachableError extends BerthError {}
/** The service or the workload cannot answer now. */
export class UnavailableError extends BerthError {}
/** The connection broke, so it is not known what the service did. */
export class ConnectionError extends BerthError {}
/** No answer within the time that the caller gave. */
export class TimeoutError extends BerthError {}

/** The service, or the way to it, is away for a moment. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || error instanceof UnavailableError || error instanceof TimeoutError;

const quotaCodes = new Set(['QUOTA_EXCEEDED', 'USAGE_LIMIT_EXCEEDED', 'quota_exceeded', 'limit_reached']);

export function errorFrom(facts: ErrorFacts): BerthError {
  const { code, status = 0 } = facts;
  if (quotaCodes.has(code) || status === 402) return new QuotaError(facts);
  if (code === 'PORT_UNREACHABLE') return new PortUnreachableError(facts);
  if (status === 401 || status === 403) return new AccessError(facts);
  if (status === 404) return new NotFoundError(facts);
  if (status === 409) return new ConflictError(facts);
  if (status === 429) return new RateLimitedError(facts);
  if (status >= 500 || status === 408) return new UnavailableError(facts);
  return new InvalidRequestError(facts);
}
