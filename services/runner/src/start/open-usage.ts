// Metering of this runner: its journal, its clock, and the loop that sends usage.
import { readFileSync } from 'node:fs';
import { Notifier } from '@berth/concurrency';
import type { Logger } from '@berth/telemetry';
import { DeploymentClock } from '../meter/deployment-clock.ts';
import { isProcessAlive } from '../meter/is-process-alive.ts';
import { UsageMeter } from '../meter/meter.ts';
import { openUsageJournal } from '../meter/open-usage-journal.ts';
import { sendUsage } from '../meter/send-usage.ts';
import type { RunnerMetrics } from '../metrics.ts';
import type { NodeClient } from '../node/node-client.ts';

export interface RunnerUsage {
  readonly meter: UsageMeter;
  /** Stops sending; usage is still metered. */
  stopSending(): Promise<void>;
}

export interface UsageOptions {
  readonly stateFolder: string;
  readonly client: NodeClient;
  readonly metrics: RunnerMetrics;
  readonly logger: Logger;
}

/**
 * Most requests that wake a sandbox are on their way to it by then. A runner that is killed before loses the time from the wake
 * to the start of the next process, so it is short.
 */
const laterMs = 5;
const bootIdFile = '/proc/sys/kernel/random/boot_id';

export function openUsage({ stateFolder, client, metrics, logger }: UsageOptions): RunnerUsage {
  const journal = openUsageJournal(stateFolder, logger);
  const notifier = new Notifier();
  const bootId = readFileSync(bootIdFile, 'utf8').trim();
  const meter = new UsageMeter({
    journal,
    clock: new DeploymentClock({ journal, bootId, uptimeMs }),
    timers: {
      every(ms, work) {
        const timer = setInterval(work, ms).unref();
        return () => clearInterval(timer);
      },
      soon: (work) => void setImmediate(work),
      later: (work) => void setTimeout(work, laterMs).unref(),
    },
    isAlive: isProcessAlive,
    systemMs: Date.now,
    onDue: () => notifier.notify(),
  });
  const stopping = new AbortController();
  const onSent = (intervals: number): void => metrics.usageIntervalsSent.inc(intervals);
  const sending = sendUsage({ meter, client, notifier, onSent, logger, signal: stopping.signal });
  return {
    meter,
    async stopSending() {
      stopping.abort();
      await sending;
    },
  };
}

/** By the monotonic clock of the machine, which all processes of a boot share. */
const uptimeMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);
