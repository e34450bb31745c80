// How often instances of a revision failed one after the other, and when the next may start.
import { hasFailed, newestFirst } from './instances.ts';
import type { ObservedInstance } from './observed.ts';

/** One that was ready for so long had a life of its own: its failure starts the count over. */
const stableMs = 60_000;
const firstPauseMs = 5_000;
const longestPauseMs = 300_000;

/** So many in a row that never became ready, and no more are started. */
export const mostSetbacks = 3;

export interface Setbacks {
  readonly neverReady: number;
  /** Undefined when the next may start at once. */
  readonly pauseUntil: number | undefined;
  /** What the newest one that said something said. */
  readonly reason: string;
}

export function setbacksOf(instances: readonly ObservedInstance[], since: number): Setbacks {
  const failed: ObservedInstance[] = [];
  for (const instance of instances.toSorted(newestFirst)) {
    if (instance.createdAt < since) break;
    if (hasFailed(instance)) failed.push(instance);
    // One that still starts, or was taken away before it was ready, says nothing.
    if (instance.readyAt !== undefined && (!hasFailed(instance) || lifeMs(instance) >= stableMs)) break;
  }
  // That its machine was lost is not the workload's failure, however often it happens.
  const own = failed.filter(({ state }) => state !== 'lost');
  const firstReady = own.findIndex(({ readyAt }) => readyAt !== undefined);
  const last = Math.max(0, ...failed.map(endOf));
  return {
    neverReady: firstReady === -1 ? own.length : firstReady,
    pauseUntil: failed.length < 2 ? undefined : last + pauseMs(failed.length),
    reason: failed.find(({ message }) => message !== undefined)?.message ?? 'It ended without a word.',
  };
}

const endOf = ({ failedAt, endedAt, createdAt }: ObservedInstance): number => failedAt ?? endedAt ?? createdAt;

const lifeMs = (instance: ObservedInstance): number => endOf(instance) - (instance.readyAt ?? endOf(instance));

/** None after the first, then 5, 10, 20, 40 seconds and so on. */
const pauseMs = (failures: number): number => Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 2));
