// The loop that meters resources without instances, closes hours of the ledger and verifies them. Not a handler: handlers share a few places and never wait for other systems.
import { backoffMs, Notifier, pause } from '@berth/concurrency';
import type { Database } from '@berth/database';
import type { Logger, Registry } from '@berth/telemetry';
import type { Usage } from '@berth/usage';
import { createHourlyCheck } from './check-hourly.ts';
import { claimDirtyHours } from './claim-dirty-hours.ts';
import { closeHour } from './close-hour.ts';
import { meterSpans } from './meter-spans.ts';

export interface MeteringOptions {
  readonly database: Database;
  readonly usage: Usage;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly pollMs?: number;
}

export interface RunningMetering {
  /** Finishes the hour under way. */
  stop(): Promise<void>;
}

const maxClaimed = 20;
/** Longer than the claimed hours usually take. Two closes of one hour at once do no harm: the one with the higher version counts. */
const leaseMs = 60_000;
const retryMs = { first: 1_000, max: 60_000 };

/** Several loops may run: a claim belongs to one of them. */
export function startMetering(options: MeteringOptions): RunningMetering {
  const { database, usage, logger, pollMs = 30_000 } = options;
  const checkHourly = createHourlyCheck(database, usage, options);
  const stopping = new AbortController();
  const { signal } = stopping;
  const notifier = new Notifier();
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const claimed = await claimDirtyHours(database, maxClaimed, leaseMs);
        await meterSpans(database, usage);
        for (const hour of claimed) if (!signal.aborted) await closeHour(database, usage, hour);
        await checkHourly();
        failures = 0;
        if (claimed.length < maxClaimed) await notifier.wait(pollMs, signal);
      } catch (err) {
        failures += 1;
        logger.warn({ err, failures }, 'metering failed; hours stay open and the loop retries');
        await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), signal);
      }
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
