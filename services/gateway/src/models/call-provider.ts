// Calls providers, over connections that are kept. Addresses are checked where a connection is made.
import { createOpenLookup, type OpenLookupOptions } from '@berth/outward';
import { Agent } from 'undici';
import { startRequestTimer } from '../proxy/request-timer.ts';
import type { AttemptResult } from './attempt-result.ts';
import type { ProviderBase } from './model.ts';
import { type ExchangeTask, ProviderExchange } from './provider-exchange.ts';

interface ProviderCall extends Omit<ExchangeTask, 'timer'> {
  readonly base: Pick<ProviderBase, 'origin' | 'host'>;
  /** With the query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface CallProviderOptions extends OpenLookupOptions {
  /** Longest time until the answer begins. */
  readonly answerMs: number;
  /** Longest time without a byte of an answer that has begun. */
  readonly silentMs: number;
}

export interface CallProvider {
  /** Never throws. */
  call(call: ProviderCall): Promise<AttemptResult>;
  close(): Promise<void>;
}

/** Providers close idle connections after a minute or more. */
const idleMs = 30_000;
const connectMs = 10_000;
const maxHeaderBytes = 64 * 1024;

export function createCallProvider({ answerMs, silentMs, ...lookups }: CallProviderOptions): CallProvider {
  const { lookup, isClosed } = createOpenLookup(lookups);
  const agent = new Agent({
    connect: { lookup, timeout: connectMs },
    allowH2: false,
    pipelining: 1,
    // Measured here: the time until an answer begins is another than the time between its bytes.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxHeaderSize: maxHeaderBytes,
  });
  return {
    call: ({ base, path, headers, body, ...task }) =>
      new Promise((resolve) => {
        if (isClosed(base.host)) {
          resolve({ is: 'failed', error: { code: 'address' } });
          return;
        }
        const timer = startRequestTimer({ totalMs: undefined, silentMs: answerMs }, () => exchange.stop('late'));
        let silence = timer;
        const exchange = new ProviderExchange(
          {
            ...task,
            timer: { touch: () => silence.touch(), stop: () => silence.stop() },
            onHead(status, rawHeaders) {
              timer.stop();
              silence = startRequestTimer({ totalMs: undefined, silentMs }, () => exchange.stop('late'));
              return task.onHead(status, rawHeaders);
            },
          },
          (result) => {
            silence.stop();
            resolve(result);
          },
        );
        agent.dispatch({ origin: base.origin, path, method: 'POST', headers: [...headers], body }, exchange);
      }),
    close: () => agent.destroy(),
  };
}
