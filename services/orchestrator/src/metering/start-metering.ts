// The loop of everything that is done with usage: it meters resources without instances, closes hours of the ledger, evaluates
// budgets, stores statements and verifies what is stored. Not a handler: handlers share a few places and never wait for
// other systems.
import { backoffMs, Notifier, pause } from '@berth/concurrency';
import { type Database, databaseClock } from '@berth/database';
import type { Logger, Registry } from '@berth/telemetry';
import type { Usage } from '@berth/usage';
import { evaluateBudgets } from '../budgets/evaluate-budgets.ts';
import { createStatementFreezer } from '../statements/freeze-statements.ts';
import { createHourlyCheck } from './check-hourly.ts';
import { claimDirtyHours } from './claim-dirty-hours.ts';
import { closeHour } from './close-hour.ts';
import { maxMeteredCalls, meterInvocations } from './meter-invocations.ts';
import { meterSpans } from './meter-spans.ts';
import { createOldestHourMetric } from './oldest-open-hour.ts';

export interface MeteringOptions {
  readonly database: Database;
  readonly usage: Usage;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Called after callbacks of budgets were stored. */
  readonly notifyDeliveries: () => void;
  readonly pollMs?: number;
}

export interface RunningMetering {
  /** Finishes the work under way. */
  stop(): Promise<void>;
}

/** Part of the loop's work. The failure of one does not keep the others from being done. */
interface Step {
  readonly name: string;
  /** True when there is more to do at once. */
  run(): Promise<boolean>;
}

const maxClaimed = 20;
/** Longer than the claimed hours usually take. Two closes of one hour at once do no harm: the one with the higher version counts. */
const leaseMs = 60_000;
const retryMs = { first: 1_000, max: 60_000 };
const statementsEveryMs = 60_000;

/** Several loops may run: a claim belongs to one of them. */
export function startMetering(options: MeteringOptions): RunningMetering {
  const { logger, pollMs = 30_000 } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const notifier = new Notifier();
  const steps = stepsOf(options, signal);
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      let hasMore = false;
      let hasFailed = false;
      for (const step of steps) {
        if (signal.aborted) break;
        try {
          hasMore = (await step.run()) || hasMore;
        } catch (err) {
          hasFailed = true;
          logger.warn({ err, step: step.name, failures: failures + 1 }, 'metering step failed; the loop retries');
        }
      }
      failures = hasFailed ? failures + 1 : 0;
      if (hasFailed) await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), signal);
      else if (!hasMore) await notifier.wait(pollMs, signal);
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

function stepsOf(
  { database, usage, logger, registry, notifyDeliveries }: MeteringOptions,
  signal: AbortSignal,
): Step[] {
  const checkHourly = createHourlyCheck(database, usage, { logger, registry });
  const freezeStatements = createStatementFreezer({ database, usage, logger, registry, signal });
  const measureOldestHour = createOldestHourMetric(database, registry);
  let frozenAt = Number.NEGATIVE_INFINITY;
  return [
    {
      name: 'spans',
      async run() {
        await meterSpans(database, usage);
        return false;
      },
    },
    {
      name: 'invocations',
      run: async () => (await meterInvocations(database, usage)) === maxMeteredCalls,
    },
    {
      // Before the hours are closed, so that a failure there does not hide it.
      name: 'oldest hour',
      async run() {
        await measureOldestHour();
        return false;
      },
    },
    {
      name: 'hours',
      async run() {
        const claimed = await claimDirtyHours(database, maxClaimed, leaseMs);
        for (const hour of claimed) if (!signal.aborted) await closeHour(database, usage, hour);
        return claimed.length === maxClaimed;
      },
    },
    {
      name: 'budgets',
      run: async () => evaluateBudgets({ database, usage, notifyDeliveries, signal }, await databaseClock(database)),
    },
    {
      name: 'statements',
      async run() {
        if (performance.now() - frozenAt < statementsEveryMs) return false;
        frozenAt = performance.now();
        await freezeStatements(await databaseClock(database));
        return false;
      },
    },
    {
      name: 'check',
      async run() {
        await checkHourly();
        return false;
      },
    },
  ];
}
