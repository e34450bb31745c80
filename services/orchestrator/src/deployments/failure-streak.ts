// Counts consecutive failures of a revision's instances and computes the backoff before the next start.
import { pauseAfterFailuresMs } from '../run/pause-after-failures.ts';
import { hasFailed, newestFirst } from './instances.ts';
import type { ObservedInstance } from './observed.ts';

/** An instance that was ready for this long was stable: the count of failures restarts with its failure. */
const stableMs = 60_000;

/** After this many consecutive instances that never became ready, no more are started. */
export const maxNeverReady = 3;

export interface FailureStreak {
  readonly neverReady: number;
  /** Undefined when the next instance may start at once. */
  readonly pauseUntil: number | undefined;
  /** Message of the newest failed instance that has one. */
  readonly reason: string;
}

export function failureStreakOf(instances: readonly ObservedInstance[], since: number): FailureStreak {
  const failed: ObservedInstance[] = [];
  for (const instance of instances.toSorted(newestFirst)) {
    if (instance.createdAt < since) break;
    if (hasFailed(instance)) failed.push(instance);
    // An instance that still starts, or was retired before it was ready, does not count either way.
    if (instance.readyAt !== undefined && (!hasFailed(instance) || lifeMs(instance) >= stableMs)) break;
  }
  // A lost runner is not the workload's failure, however often it happens.
  const own = failed.filter(({ state }) => state !== 'lost');
  const firstReady = own.findIndex(({ readyAt }) => readyAt !== undefined);
  const last = Math.max(0, ...failed.map(endOf));
  return {
    neverReady: firstReady === -1 ? own.length : firstReady,
    // No pause after the first failure.
    pauseUntil: failed.length < 2 ? undefined : last + pauseAfterFailuresMs(failed.length - 1),
    reason: failed.find(({ message }) => message !== undefined)?.message ?? 'It ended without a word.',
  };
}

const endOf = ({ failedAt, endedAt, createdAt }: ObservedInstance): number => failedAt ?? endedAt ?? createdAt;

const lifeMs = (instance: ObservedInstance): number => endOf(instance) - (instance.readyAt ?? endOf(instance));
