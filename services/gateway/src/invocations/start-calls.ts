// The loop that performs calls. Any gateway performs any call: the one that has accepted it may be gone.
import { backoffMs, Notifier, pause, settlesWithin } from '@berth/concurrency';
import type { Database } from '@berth/database';
import { Counter, Histogram, type Logger, type Registry } from '@berth/telemetry';
import { claimCalls, prolongClaims } from './claim-calls.ts';
import type { ClaimedCall } from './claimed-call.ts';
import { judgeRun, type RunResult } from './judge-run.ts';
import { beginRun, callAgain, endCall } from './record-run.ts';

interface CallsSettings {
  /** Calls that this process performs at once. */
  readonly atOnce: number;
  readonly perAgent: number;
  readonly leaseMs: number;
}

export interface CallsOptions extends CallsSettings {
  readonly database: Database;
  readonly perform: Perform;
  /** Called after a callback was stored. */
  readonly notifyDeliveries: () => void;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Interval of polling: other gateways accept calls too, and retries fall due. */
  readonly pollMs?: number;
}

interface RunControl {
  /** Has to be awaited before the first byte is sent to the agent. Throws when the call may not be performed any more. */
  begin(): Promise<void>;
  /** Aborts when the lease has ended, or this process stops. */
  readonly signal: AbortSignal;
}

/** Never throws. */
export type Perform = (call: ClaimedCall, control: RunControl) => Promise<RunResult>;

export interface RunningCalls {
  /** Looks for calls that are due, at once. */
  wake(): void;
  /** Takes no more calls, waits for those under way within the deadline, then breaks them off. */
  stop(deadlineMs: number): Promise<void>;
}

interface UnderWay {
  readonly call: ClaimedCall;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** A result is kept for as long, where PostgreSQL is away. */
const recordTries = 60;
const recordPauseMs = { first: 100, max: 5_000 };
const abortedMs = 5_000;

export function startCalls(options: CallsOptions): RunningCalls {
  const { database, perform, notifyDeliveries, logger, registry } = options;
  const { atOnce, perAgent, leaseMs, pollMs = 1_000 } = options;
  const notifier = new Notifier();
  const stopping = new AbortController();
  const underWay = new Set<UnderWay>();
  const results = new Counter({
    name: 'berth_gateway_calls_total',
    help: 'Runs of asynchronous calls, by what came of them.',
    labelNames: ['result'],
    registers: [registry],
  });

  const waits = new Histogram({
    name: 'berth_gateway_call_wait_seconds',
    help: 'Time for which a run of an asynchronous call was due before a gateway took it.',
    buckets: [0.05, 0.25, 1, 5, 15, 60, 300, 1_800],
    registers: [registry],
  });

  async function performOne(call: ClaimedCall, signal: AbortSignal): Promise<void> {
    let hasBegun = false;
    const begin = async (): Promise<void> => {
      signal.throwIfAborted();
      if (!hasBegun) await beginRun(database, call);
      hasBegun = true;
    };
    // A run that nobody has finished counts. What is left is a further run, or an end that says so.
    const isOver = call.wasRunning && call.runs >= call.maxRuns;
    const result: RunResult = isOver ? { kind: 'abandoned' } : await perform(call, { begin, signal });
    results.inc({ result: result.kind });
    await record(call, result, hasBegun);
  }

  async function record(call: ClaimedCall, result: RunResult, hasBegun: boolean): Promise<void> {
    const { id, maxRuns, ageMs } = call;
    const runs = call.runs + (hasBegun ? 1 : 0);
    const isStopping = stopping.signal.aborted;
    const verdict = judgeRun(result, { runs, maxRuns, ageMs });
    const reason = 'reason' in result ? result.reason : undefined;
    const isUnsent = result.kind === 'unsent' && hasBegun;
    const store = async (): Promise<boolean> => {
      if (verdict.kind === 'ended') {
        const answer = 'answer' in result ? result.answer : undefined;
        return endCall(database, call, { status: verdict.status, answer, isUnsent, reason });
      }
      // Another process may take over at once what this one could not send.
      const pauseMs = result.kind === 'unsent' && isStopping ? 0 : verdict.pauseMs;
      await callAgain(database, call, { pauseMs, isUnsent, reason });
      return false;
    };
    for (let tries = 1; ; tries += 1) {
      try {
        if (await store()) notifyDeliveries();
        return;
      } catch (err) {
        if (tries === recordTries) throw err;
        logger.warn({ err, invocation: id, tries }, 'result of a call could not be recorded; retrying');
        await pause(backoffMs(tries, recordPauseMs.first, recordPauseMs.max, Math.random));
      }
    }
  }

  function start(call: ClaimedCall): void {
    const abort = new AbortController();
    const ended = performOne(call, abort.signal)
      .catch((err: unknown) => logger.error({ err, invocation: call.id }, 'call broke off; its lease will end'))
      .finally(() => {
        underWay.delete(entry);
        notifier.notify();
      });
    const entry = { call, abort, ended };
    underWay.add(entry);
  }

  async function prolong(): Promise<void> {
    const held = [...underWay];
    if (held.length === 0) return;
    try {
      const kept = await prolongClaims(
        database,
        held.map(({ call }) => call),
        leaseMs,
      );
      for (const { call, abort } of held) if (!kept.has(call.id)) abort.abort(new Error('the lease has ended'));
    } catch (err) {
      logger.warn({ err }, 'leases of calls could not be prolonged; retrying');
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        const limit = atOnce - underWay.size;
        const claimed = limit === 0 ? [] : await claimCalls(database, { limit, perAgent, leaseMs });
        for (const call of claimed) {
          waits.observe(Math.max(0, call.waitedMs) / 1_000);
          start(call);
        }
        failures = 0;
        if (claimed.length === 0) await notifier.wait(pollMs, stopping.signal);
      } catch (err) {
        failures += 1;
        logger.warn({ err, failures }, 'calls could not be claimed; the loop retries after a backoff');
        await pause(backoffMs(failures, 100, 10_000, Math.random), stopping.signal);
      }
    }
  }

  const prolonging = setInterval(() => void prolong(), leaseMs / 3).unref();
  const running = atOnce === 0 ? Promise.resolve() : run();
  return {
    wake: () => notifier.notify(),
    async stop(deadlineMs) {
      stopping.abort();
      await running;
      const all = () => Promise.all([...underWay].map(({ ended }) => ended));
      if (!(await settlesWithin(deadlineMs, all()))) {
        for (const { abort } of underWay) abort.abort(new Error('the gateway stops'));
        await settlesWithin(abortedMs, all());
      }
      clearInterval(prolonging);
    },
  };
}
