// Calls providers, over connections that are kept. Addresses are checked where a connection is made.
import { createOpenLookup, type OpenLookupOptions } from '@berth/outward';
import { startRequestTimer } from '../proxy/request-timer.ts';
import type { AttemptResult } from './attempt-result.ts';
import type { ProviderBase } from './model.ts';
import { createProviderConnections } from './provider-connections.ts';
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

export function createCallProvider({ answerMs, silentMs, ...lookups }: CallProviderOptions): CallProvider {
  const { lookup, isClosed } = createOpenLookup(lookups);
  const connections = createProviderConnections(lookup);
  return {
    call: ({ base, path, headers, body, ...task }) =>
      new Promise((resolve) => {
        if (isClosed(base.host)) {
          resolve({ is: 'failed', error: { code: 'address' } });
          return;
        }
        const timer = startRequestTimer({ totalMs: undefined, silentMs: answerMs }, () => exchange.stop('late'));
        let silence = timer;
        const connection = connections.take(base.origin);
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
            if (result.is === 'answered' && result.error === undefined) connection.release();
            else connection.destroy();
            resolve(result);
          },
        );
        connection.client.dispatch({ path, method: 'POST', headers: [...headers], body }, exchange);
      }),
    close: connections.close,
  };
}
