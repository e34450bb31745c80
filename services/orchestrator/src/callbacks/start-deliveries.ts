// The loop that delivers callbacks. Not a handler: handlers share a few places and never wait for other systems.
import { backoffMs, Notifier, pause } from '@berth/concurrency';
import { deliveriesChannel, listen } from '@berth/database';
import { claimDue } from './claim.ts';
import { type DeliveryDependencies, deliver } from './deliver.ts';

export interface DeliveriesOptions extends DeliveryDependencies {
  /** For the one connection on which the loop listens for notifications about new callbacks. */
  readonly databaseUrl: string;
  /** Interval of polling: retries fall due without a notification, and a notification may be lost. */
  readonly pollMs?: number;
  /** Longer than a try can take. */
  readonly leaseMs?: number;
}

export interface RunningDeliveries {
  /** Finishes the tries under way. */
  stop(): Promise<void>;
}

/** Tries of one process at once. */
const maxAtOnce = 32;

/** Several loops may run: a claim belongs to one of them. */
export function startDeliveries(options: DeliveriesOptions): RunningDeliveries {
  const { database, databaseUrl, logger, pollMs = 2_000, leaseMs = 60_000 } = options;
  const notifier = new Notifier();
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const listener = listen({
    url: databaseUrl,
    channel: deliveriesChannel,
    onNotification: () => notifier.notify(),
    onError: (err) => logger.warn({ err }, 'callback listener failed; the loop polls until it is back'),
  });

  const begin = (work: Promise<void>): void => {
    const ended = work
      .catch((err: unknown) => logger.warn({ err }, 'callback result not recorded; it is tried again after its lease'))
      .finally(() => {
        underWay.delete(ended);
        notifier.notify();
      });
    underWay.add(ended);
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        const free = maxAtOnce - underWay.size;
        const claimed = free === 0 ? [] : await claimDue(database, free, leaseMs);
        for (const delivery of claimed) begin(deliver(options, delivery));
        failures = 0;
        if (claimed.length === 0) await notifier.wait(pollMs, stopping.signal);
      } catch (err) {
        failures += 1;
        logger.warn({ err, failures }, 'callback claim failed; the loop retries after a backoff');
        await pause(backoffMs(failures, 100, 10_000, Math.random), stopping.signal);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await Promise.all([running, listener.close()]);
      await Promise.all(underWay);
    },
  };
}
