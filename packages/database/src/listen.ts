import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface ListenOptions {
  readonly url: string;
  readonly channel: string;
  /** Also called with an empty payload after each new connection, because notifications sent in between were lost. */
  readonly onNotification: (payload: string) => void;
  readonly onError?: (error: unknown) => void;
}

export interface Listener {
  close(): Promise<void>;
}

const reconnectMs = 1_000;

/** Holds its own connection and reconnects when it breaks. Notifications are hints: some are lost with a connection. */
export function listen(options: ListenOptions): Listener {
  const closing = new AbortController();
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await listenUntilBroken(options, closing.signal);
      } catch (error) {
        options.onError?.(error);
      }
      await sleep(reconnectMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  };
  const ended = run();
  return {
    async close() {
      closing.abort();
      await ended;
    },
  };
}

async function listenUntilBroken({ url, channel, onNotification }: ListenOptions, closing: AbortSignal): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `berth-listen-${channel}`,
    connectionTimeoutMillis: 10_000,
    // The system notices a silently dead connection within minutes; the listener's own poll is sooner.
    keepAlive: true,
  });
  const { promise: broken, resolve, reject } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  client.on('error', reject);
  client.on('end', end);
  closing.addEventListener('abort', end);
  // The connection may break before `broken` is awaited; without this, that would be an unhandled rejection.
  broken.catch(() => {});
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  try {
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    onNotification('');
    await broken;
  } finally {
    closing.removeEventListener('abort', end);
    await client.end().catch(() => {});
  }
}
