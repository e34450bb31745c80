// Client of the API inside a sandbox.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ProcessResponse } from '@berth/contract/guest';
import { KeepAliveClient } from './keep-alive-client.ts';

const closedCodes = new Set(['ECONNRESET', 'UND_ERR_SOCKET']);

export type Wish = Record<string, unknown> & { command: string };

/** `headers` are sent with every call, such as a credential for a gateway in between. */
export function guestClient(url: string, headers: Readonly<Record<string, string>> = {}) {
  const call = (method: string, path: string, body?: unknown, options: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...options,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...Object.fromEntries(new Headers(options.headers)),
      },
    });
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await call(method, path, body).catch((error) => {
      // A kept connection dies with a guest that is killed; a request that only reads may be repeated.
      if (method === 'GET' && closedCodes.has(error.cause?.code)) return call(method, path, body);
      throw error;
    });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
  return {
    url,
    call,
    json,
    /** Starts a process without waiting for its end. */
    start: (wish: Wish) => json<ProcessResponse>('POST', '/process', wish),
    /** Runs a process to its end. */
    run: (command: string, wish: Record<string, unknown> = {}) =>
      json<ProcessResponse>('POST', '/process', { command, waitForCompletion: true, ...wish }),
    process: (identifier: string) => json<ProcessResponse>('GET', `/process/${identifier}`),
    health: () => json<{ status: string; startedAt: string; uptimeSeconds: number }>('GET', '/health'),
    /** Lines of a stream until it ends or the signal aborts. */
    async *lines(path: string, options: RequestInit = {}): AsyncGenerator<string> {
      const response = await call('GET', path, undefined, options);
      if (response.status !== 200 || response.body === null)
        throw new Error(`GET ${path} answered ${response.status}.`);
      yield* createInterface({ input: Readable.fromWeb(response.body as never), crlfDelay: Number.POSITIVE_INFINITY });
    },
  };
}

export type GuestClient = ReturnType<typeof guestClient>;

/**
 * Requests `/health` continuously and keeps the longest wait. It uses its own connection, opened before anything
 * else: Node accepts one new connection per turn, so a connection behind two hundred others would wait for them, not
 * for an answer.
 */
export function watchHealth({ url }: GuestClient, everyMs = 10) {
  const own = new KeepAliveClient(url, {}, 1);
  const stop = new AbortController();
  let longestMs = 0;
  let longestAtMs = 0;
  const begunAt = performance.now();
  let answers = 0;
  const failures: string[] = [];
  const done = (async () => {
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      try {
        const { status } = await own.send('GET', '/health', undefined, AbortSignal.timeout(60_000));
        if (status !== 200) failures.push(`status ${status}`);
        answers += 1;
      } catch (error) {
        failures.push(String(error));
      }
      const tookMs = performance.now() - startedAt;
      if (tookMs > longestMs) [longestMs, longestAtMs] = [tookMs, startedAt - begunAt];
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async end() {
      stop.abort();
      await done;
      own.close();
      return { longestMs, longestAtMs, answers, failures };
    },
  };
}
