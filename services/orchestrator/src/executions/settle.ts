// Folds attempts that have started or ended into their tasks and into the counters of the execution. Pure: the caller
// holds the execution's row and writes the result.
import { type AttemptResult, judgeAttempt, noResult, type RetryState, retryPauseMs } from './judge-attempt.ts';

export interface ExecutionCounters {
  /** Tasks with an attempt that is not settled. */
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Attempts that were repeated for the task's own fault. */
  readonly retried: number;
}

export interface SettlingExecution {
  readonly status: string;
  readonly maxRetries: number;
  readonly taskCount: number;
  readonly counters: ExecutionCounters;
}

export interface ObservedAttempt {
  readonly id: string;
  readonly taskIndex: number;
  readonly attempt: number;
  /** It has a result, or nothing of it is left. */
  readonly isOver: boolean;
  readonly result?: AttemptResult | undefined;
  readonly message?: string | undefined;
  /** Start of its process. */
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  readonly task: RetryState & {
    readonly status: string;
    /** Number of the task's newest attempt. */
    readonly attempt: number;
  };
}

export interface TaskChange extends RetryState {
  readonly index: number;
  readonly status: 'running' | 'pending' | 'succeeded' | 'failed' | 'cancelled';
  readonly notBefore?: number | undefined;
  readonly reason?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly message?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly completedAt?: number | undefined;
}

export interface Settlement {
  readonly tasks: readonly TaskChange[];
  /** Attempts that are settled with this. */
  readonly settled: readonly string[];
  readonly counters: ExecutionCounters;
}

export function settle(
  { status, maxRetries, counters }: SettlingExecution,
  attempts: readonly ObservedAttempt[],
  now: number,
): Settlement {
  const rules = { maxRetries, isCancelling: status === 'cancelling' };
  const ended = attempts.filter(({ isOver }) => isOver);
  const judged = ended.filter(isCurrent).map((attempt) => ({
    attempt,
    verdict: judgeAttempt(attempt.result ?? noResult, attempt.task, rules),
  }));
  const count = (wanted: string): number => judged.filter(({ verdict }) => verdict.status === wanted).length;
  const started = attempts.filter(
    (attempt) => !attempt.isOver && attempt.startedAt !== undefined && isCurrent(attempt) && !isRunning(attempt),
  );
  return {
    tasks: [
      ...started.map(startedTask),
      ...judged.map(({ attempt, verdict: { isRetried: _, ...verdict } }) => ({
        index: attempt.taskIndex,
        ...verdict,
        exitCode: attempt.result?.exitCode,
        message: attempt.message,
        ...(verdict.status === 'pending'
          ? { notBefore: now + retryPauseMs(verdict) }
          : { startedAt: attempt.startedAt, completedAt: attempt.finishedAt ?? now }),
      })),
    ],
    settled: ended.map(({ id }) => id),
    counters: {
      active: counters.active - judged.length,
      succeeded: counters.succeeded + count('succeeded'),
      failed: counters.failed + count('failed'),
      cancelled: counters.cancelled + count('cancelled'),
      retried: counters.retried + judged.filter(({ verdict }) => verdict.isRetried).length,
    },
  };
}

/** The end of an older attempt changes nothing, nor does the end of any attempt of a task that is in a final state. */
const isCurrent = ({ attempt, task }: ObservedAttempt): boolean =>
  attempt === task.attempt && (task.status === 'reconciling' || task.status === 'running');

const isRunning = ({ task }: ObservedAttempt): boolean => task.status === 'running';

const startedTask = ({ taskIndex, startedAt, task: { failures, losses } }: ObservedAttempt): TaskChange => ({
  index: taskIndex,
  status: 'running',
  failures,
  losses,
  startedAt,
});
