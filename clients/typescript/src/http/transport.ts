// Sends one request until it has an answer: time limits, repetition where it is safe, and errors by their family.
import { type BerthError, ConnectionError, errorFrom, TimeoutError } from './errors.ts';
import { pause } from './pause.ts';
import { readError } from './read-error.ts';
import { pauseBeforeRetry } from './retry.ts';

export interface TransportOptions {
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
  readonly maxTries: number;
  /** Time for the whole answer of a request, and until the begin of a stream. */
  readonly requestTimeoutMs: number;
}

export type BodyStream = ReadableStream<Uint8Array<ArrayBuffer>>;

export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Has to be the same at each try, so a stream is opened for each of them. */
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob | FormData | (() => BodyStream) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** The same request twice does what it does once. */
  readonly isRepeatable: boolean;
  /** True for requests that need no credential. */
  readonly isPublic?: boolean | undefined;
}

/** An answer whose body is read piece by piece. */
export interface OpenAnswer {
  readonly answer: Response;
  /** Ends the connection, and leaves nothing on the caller's signal. */
  close(): void;
}

/** One for all: a reason that is made anew records a stack each time. */
const closed = new Error('The client has closed the connection.');

type Read<Result> = (open: OpenAnswer) => Promise<Result>;

export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  get key(): string | undefined {
    return this.#options.key;
  }

  /** One request as it is, with the key. Nothing is repeated, and every status is an answer. */
  fetch(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.key !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${this.key}`);
    return this.#options.fetch(url, { ...init, headers });
  }

  /** Undefined for an answer without a body. */
  async json(sent: Sent): Promise<unknown> {
    const text = await this.#repeat(sent, ({ answer }) => answer.text());
    return text === '' ? undefined : JSON.parse(text);
  }

  bytes(sent: Sent): Promise<Uint8Array<ArrayBuffer>> {
    return this.#repeat(sent, async ({ answer }) => new Uint8Array(await answer.arrayBuffer()));
  }

  /** Resolves with the head of the answer. The body has no time limit, and has to be closed. */
  stream(sent: Sent): Promise<OpenAnswer> {
    return this.#repeat(sent, async (open) => open, true);
  }

  async #repeat<Result>(sent: Sent, read: Read<Result>, isStream = false): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      const result = await this.#once(sent, read, isStream);
      if ('value' in result) return result.value;
      sent.signal?.throwIfAborted();
      const { error } = result;
      const rules = { maxTries: this.#options.maxTries, isRepeatable: sent.isRepeatable };
      const waitMs = pauseBeforeRetry(error, tries, rules, Math.random());
      if (waitMs === undefined) throw error;
      await pause(waitMs, sent.signal);
    }
  }

  async #once<Result>(
    sent: Sent,
    read: Read<Result>,
    isStream: boolean,
  ): Promise<{ value: Result } | { error: BerthError }> {
    const { url, method, body, signal, timeoutMs = this.#options.requestTimeoutMs } = sent;
    const limit = new AbortController();
    const abort = () => limit.abort(signal?.reason);
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const close = () => {
      signal?.removeEventListener('abort', abort);
      limit.abort(closed);
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    let isOpen = false;
    try {
      const headers = this.#headers(sent);
      const init = { method, headers, signal: limit.signal, ...bodyOf(body) };
      const answer = await this.#options.fetch(url, init);
      if (answer.status >= 400)
        return { error: errorFrom(readError(answer.status, answer.headers, await answer.text())) };
      const value = await read({ answer, close });
      isOpen = isStream;
      return { value };
    } catch (cause) {
      signal?.throwIfAborted();
      return { error: unanswered(sent, limit.signal.aborted ? timeoutMs : undefined, cause) };
    } finally {
      clearTimeout(timer);
      if (!isOpen) signal?.removeEventListener('abort', abort);
    }
  }

  #headers({ headers, isPublic }: Sent): Record<string, string> {
    const { key } = this.#options;
    return { ...headers, ...(key === undefined || isPublic ? {} : { authorization: `Bearer ${key}` }) };
  }
}

function bodyOf(body: Sent['body']): RequestInit {
  if (body === undefined) return {};
  if (typeof body !== 'function') return { body };
  // A stream needs `duplex`, which the types of browsers do not have yet.
  const streamed: RequestInit & { duplex: 'half' } = { body: body(), duplex: 'half' };
  return streamed;
}

function unanswered({ method, url }: Sent, timeoutMs: number | undefined, cause: unknown): BerthError {
  const { origin, pathname } = new URL(url);
  const request = `${method} ${origin}${pathname}`;
  if (timeoutMs !== undefined)
    return new TimeoutError(
      { code: 'timeout', status: undefined, message: `${request} was not answered within ${timeoutMs} ms.` },
      { cause },
    );
  const reason = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : '';
  return new ConnectionError(
    { code: 'connection', status: undefined, message: `${request} got no answer: ${reason}` },
    { cause },
  );
}
