// The next step for one instance, from the desired state, the engine's state and past attempts. Pure: a worker carries
// the step out, inspects again and calls this again.
import type { Failure } from '../failures/failure.ts';

export interface Seen {
  readonly status: 'absent' | 'created' | 'running' | 'paused' | 'exited';
  readonly outOfMemory: boolean;
  /** The network that the container was created with still exists; without it the container has to be recreated. */
  readonly isWired: boolean;
  /** Time for which the current or last run has answered; absent when that run never did. */
  readonly answeredMs: number | undefined;
  /** The container holds files of its owner: it is never replaced by an empty one, and it may sleep. */
  readonly isKept: boolean;
  /** The instance just got its owner, who waits for it; nothing of the owner has run in it yet. */
  readonly isAwaited: boolean;
}

export interface Attempt {
  /** Number of process starts, shown to people. */
  readonly starts: number;
  /** Consecutive runs that never answered, or answered only briefly. */
  readonly failedStarts: number;
  /** Consecutive restarts since the last long run; sets the backoff of the next restart. */
  readonly restarts: number;
  readonly hasAnswered: boolean;
  /** The instance was given up. It stays failed until it is no longer wanted. */
  readonly failure: Failure | undefined;
}

export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'create' }
  | { readonly do: 'start' }
  | {
      readonly do: 'restart';
      readonly afterMs: number;
      /** The restart uses a new container. */
      readonly isAnew: boolean;
      readonly failedStarts: number;
      readonly restarts: number;
    }
  | { readonly do: 'probe' }
  | { readonly do: 'unpause' }
  /** Removes the container; the instance stays wanted. */
  | { readonly do: 'discard' }
  | {
      readonly do: 'fail';
      readonly code: 'crash_loop' | 'out_of_memory';
      readonly failedStarts: number;
      /** The files in the container are lost too. */
      readonly isLost: boolean;
    }
  | { readonly do: 'stop' }
  /** Removes the container and all it has written, without a grace period. */
  | { readonly do: 'erase' }
  | { readonly do: 'remove' };

export const firstAttempt: Attempt = {
  starts: 0,
  failedStarts: 0,
  restarts: 0,
  hasAnswered: false,
  failure: undefined,
};

export const mostFailedStarts = 3;
/** A run that answered for less than this counts as a failed start. */
export const shortRunMs = 10_000;
/** A run of at least this length resets the restart backoff. */
export const longRunMs = 300_000;
const firstPauseMs = 1_000;
const mostPauseMs = 30_000;

export function decide(isWanted: boolean, seen: Seen, attempt: Attempt): Step {
  if (!isWanted) return { do: 'remove' };
  if (attempt.failure !== undefined) return afterFailure(seen, attempt.failure);
  if (seen.isKept && isLost(seen)) return { do: 'fail', code: endCode(seen), failedStarts: 1, isLost: true };
  switch (seen.status) {
    case 'absent':
      return { do: 'create' };
    case 'created':
      return { do: seen.isWired ? 'start' : 'discard' };
    case 'paused':
      // The sandbox sleeps. If it is new to this process, a probe registers it with the keeper, which wakes sandboxes.
      if (seen.isKept) return { do: seen.answeredMs === undefined ? 'probe' : 'nothing' };
      return { do: 'unpause' };
    case 'running':
      if (!seen.isWired) return { do: 'discard' };
      return { do: seen.answeredMs === undefined ? 'probe' : 'nothing' };
    case 'exited':
      return afterEnd(seen, attempt);
  }
}

/** The container is missing, or cannot be started again without its network. */
const isLost = ({ status, isWired }: Seen): boolean => status === 'absent' || !isWired;

const endCode = ({ outOfMemory }: Seen) => (outOfMemory ? 'out_of_memory' : 'crash_loop');

const isAlive = ({ status }: Seen): boolean => status === 'running' || status === 'paused';

/** An instance that filled the disk loses its files: freeing them is why it was ended. */
function afterFailure(seen: Seen, { code }: Failure): Step {
  if (code === 'disk_full') return { do: seen.status === 'absent' ? 'nothing' : 'erase' };
  return { do: isAlive(seen) ? 'stop' : 'nothing' };
}

function afterEnd(seen: Seen, attempt: Attempt): Step {
  const { outOfMemory, answeredMs, isWired, isAwaited } = seen;
  const isFailedStart = answeredMs === undefined || answeredMs < shortRunMs;
  const failedStarts = isFailedStart ? attempt.failedStarts + 1 : 0;
  // A run that exceeds its memory before it ever answered will do so again.
  const isHopeless = outOfMemory && answeredMs === undefined;
  if (isHopeless || failedStarts >= mostFailedStarts) {
    return { do: 'fail', code: endCode(seen), failedStarts, isLost: false };
  }
  const restarts = answeredMs !== undefined && answeredMs >= longRunMs ? 1 : attempt.restarts + 1;
  const pauseMs = Math.min(mostPauseMs, firstPauseMs * 2 ** Math.min(30, restarts - 1));
  // Before the instance has answered to an owner a backoff protects no one, and the caller waits for the result.
  const afterMs = attempt.hasAnswered && !isAwaited ? pauseMs : 0;
  return { do: 'restart', afterMs, isAnew: !isWired, failedStarts, restarts };
}
