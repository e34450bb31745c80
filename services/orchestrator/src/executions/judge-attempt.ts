// Decides what the end of an attempt means for its task. Whose fault the end was decides about the retry; see
// docs/decisions/017-jobs.md. Pure.
import { backoffMs } from '@berth/concurrency';
import type { TaskEndReason } from '@berth/contract/node';

export interface AttemptResult {
  readonly reason: TaskEndReason;
  readonly exitCode?: number | undefined;
}

export interface RetryState {
  /** Attempts that failed for the task's own fault. */
  readonly failures: number;
  /** Attempts that ended for another reason. */
  readonly losses: number;
}

export interface RetryRules {
  readonly maxRetries: number;
  /** A cancelled execution starts nothing again. */
  readonly isCancelling: boolean;
}

export interface Verdict extends RetryState {
  readonly status: 'succeeded' | 'failed' | 'cancelled' | 'pending';
  readonly reason: TaskEndReason;
  /** The task's own fault is followed by a retry. */
  readonly isRetried: boolean;
}

/** Repeats after a lost machine, an engine fault or an unreachable registry. */
export const maxLosses = 5;

const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

type Fault = 'own' | 'other' | 'final';
const faults: Readonly<Record<TaskEndReason, Fault>> = {
  exited: 'own',
  timeout: 'own',
  out_of_memory: 'own',
  disk_full: 'own',
  start_failed: 'own',
  lost: 'other',
  image_unavailable: 'other',
  image_missing: 'final',
  image_refused: 'final',
};

/** Stands for the result of an attempt whose runner is lost, or has removed it before it started. */
export const noResult: AttemptResult = { reason: 'lost' };

export function judgeAttempt(
  { reason, exitCode }: AttemptResult,
  { failures, losses }: RetryState,
  { maxRetries, isCancelling }: RetryRules,
): Verdict {
  if (reason === 'exited' && exitCode === 0) return { status: 'succeeded', reason, failures, losses, isRetried: false };
  const fault = faults[reason];
  if (fault === 'final') return { status: 'failed', reason, failures, losses, isRetried: false };
  if (fault === 'own') {
    const isRetried = !isCancelling && failures < maxRetries;
    return { status: isRetried ? 'pending' : 'failed', reason, failures: failures + 1, losses, isRetried };
  }
  const repeated = losses < maxLosses ? 'pending' : 'failed';
  return { status: isCancelling ? 'cancelled' : repeated, reason, failures, losses: losses + 1, isRetried: false };
}

/** 1 s before the first retry, doubled with each. Without jitter, so that the same history gives the same pause. */
export const retryPauseMs = ({ failures, losses }: RetryState): number =>
  backoffMs(failures + losses, firstPauseMs, maxPauseMs, () => 1);
