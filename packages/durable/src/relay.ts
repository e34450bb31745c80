// Relay from the outbox to the engine. A row is deleted once the engine has acknowledged its message, in the
// transaction that holds the row's lock. A relay that is killed at any line releases its rows, and the next relay sends
// them again under the same id.

import { backoffMs, Notifier, pause } from '@berth/concurrency';
import { type Database, listen, outboxChannel } from '@berth/database';
import { type Logger, Registry } from '@berth/telemetry';
import { RefusedRows } from './refused-rows.ts';
import { relayBatch } from './relay-batch.ts';
import { createRelayMetrics } from './relay-metrics.ts';
import { RoundRobin } from './round-robin.ts';
import type { Sender } from './sender.ts';

export interface RelayOptions {
  readonly database: Database;
  /** For the one connection on which the relay listens for notifications about new rows. */
  readonly databaseUrl: string;
  readonly sender: Sender;
  readonly logger: Logger;
  readonly registry?: Registry;
  readonly batchSize?: number;
  /**
   * Interval of polling. A notification is lost while its connection is re-established, when a writer dies between
   * commit and notification, and behind a pooler that passes none on; rows released by another relay are never
   * announced.
   */
  readonly pollMs?: number;
  /**
   * Minimum age of the rows that a poll takes. Work that follows a burst of writes should not take CPU from the burst
   * itself.
   */
  readonly pollMinAgeMs?: number;
}

export interface RunningRelay {
  /** Finishes the current batch. */
  stop(): Promise<void>;
}

/**
 * Starts a relay. Several may run: each takes the oldest rows that are not locked, a share of every workspace. So the
 * order of one key's messages is not guaranteed.
 */
export function startRelay(options: RelayOptions): RunningRelay {
  const { database, databaseUrl, sender, logger, batchSize = 200, pollMs = 1_000, pollMinAgeMs = 500 } = options;
  const notifier = new Notifier();
  const observe = createRelayMetrics(options.registry ?? new Registry());
  const memory = { refused: new RefusedRows(), roundRobin: new RoundRobin() };
  const listener = listen({
    url: databaseUrl,
    channel: outboxChannel,
    onNotification: () => notifier.notify(),
    onError: (err) => logger.warn({ err }, 'outbox listener failed; the relay polls until it is back'),
  });
  const stopping = new AbortController();

  const run = async (): Promise<void> => {
    let failures = 0;
    let minAgeMs = 0;
    while (!stopping.signal.aborted) {
      try {
        const batch = await relayBatch(database, sender, memory, { batchSize, minAgeMs });
        observe(batch);
        const { hasMore, outage } = batch;
        if (outage !== undefined) throw outage;
        failures = 0;
        if (!hasMore) minAgeMs = (await notifier.wait(pollMs, stopping.signal)) ? 0 : pollMinAgeMs;
      } catch (err) {
        failures += 1;
        logger.warn({ err, failures }, 'outbox batch failed; the relay retries after a backoff');
        // Notifications do not end this pause: while the engine or the database is away, every write would cause
        // another attempt.
        await pause(backoffMs(failures, 100, 10_000, Math.random), stopping.signal);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await Promise.all([running, listener.close()]);
    },
  };
}
