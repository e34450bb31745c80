// The next step for one instance, from the desired state, the engine's state and past attempts. Pure: a worker carries
// the step out, inspects again and calls this again.
import type { Failure } from '../failures/failure.ts';

export interface Observed {
  readonly status: 'absent' | 'created' | 'running' | 'paused' | 'exited';
  readonly outOfMemory: boolean;
  /** The network that the container was created with still exists; without it the container has to be recreated. */
  readonly hasNetwork: boolean;
  /** Time for which the current or last run has answered; absent when that run never did. */
  readonly answeredMs: number | undefined;
  /** The container holds files of its owner: it is never replaced by an empty one, and it may sleep. */
  readonly holdsFiles: boolean;
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

export const maxFailedStarts = 3;
/** A run that answered for less than this counts as a failed start. */
export const shortRunMs = 10_000;
/** A run of at least this length resets the restart backoff. */
export const longRunMs = 300_000;
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;

export function decide(isWanted: boolean, observed: Observed, attempt: Attempt): Step {
  if (!isWanted) return { do: 'remove' };
  if (attempt.failure !== undefined) return afterFailure(observed, attempt.failure);
  if (observed.holdsFiles && isLost(observed))
    return { do: 'fail', code: endCode(observed), failedStarts: 1, isLost: true };
  switch (observed.status) {
    case 'absent':
      return { do: 'create' };
    case 'created':
      return { do: observed.hasNetwork ? 'start' : 'discard' };
    case 'paused':
      // The sandbox sleeps. If it is new to this process, a probe registers it with the sleep manager, which wakes sandboxes.
      if (observed.holdsFiles) return { do: observed.answeredMs === undefined ? 'probe' : 'nothing' };
      return { do: 'unpause' };
    case 'running':
      if (!observed.hasNetwork) return { do: 'discard' };
      return { do: observed.answeredMs === undefined ? 'probe' : 'nothing' };
    case 'exited':
      return afterEnd(observed, attempt);
  }
}

/** The container is missing, or cannot be started again without its network. */
const isLost = ({ status, hasNetwork }: Observed): boolean => status === 'absent' || !hasNetwork;

const endCode = ({ outOfMemory }: Observed) => (outOfMemory ? 'out_of_memory' : 'crash_loop');

const isAlive = ({ status }: Observed): boolean => status === 'running' || status === 'paused';

/** An instance that filled the disk loses its files: freeing them is why it was ended. */
function afterFailure(observed: Observed, { code }: Failure): Step {
  if (code === 'disk_full') return { do: observed.status === 'absent' ? 'nothing' : 'erase' };
  return { do: isAlive(observed) ? 'stop' : 'nothing' };
}

function afterEnd(observed: Observed, attempt: Attempt): Step {
  const { outOfMemory, answeredMs, hasNetwork, isAwaited } = observed;
  const isFailedStart = answeredMs === undefined || answeredMs < shortRunMs;
  const failedStarts = isFailedStart ? attempt.failedStarts + 1 : 0;
  // A run that exceeds its memory before it ever answered will do so again.
  const isHopeless = outOfMemory && answeredMs === undefined;
  if (isHopeless || failedStarts >= maxFailedStarts) {
    return { do: 'fail', code: endCode(observed), failedStarts, isLost: false };
  }
  const restarts = answeredMs !== undefined && answeredMs >= longRunMs ? 1 : attempt.restarts + 1;
  const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(30, restarts - 1));
  // Before the instance has answered to an owner a backoff protects no one, and the caller waits for the result.
  const afterMs = attempt.hasAnswered && !isAwaited ? pauseMs : 0;
  return { do: 'restart', afterMs, isAnew: !hasNetwork, failedStarts, restarts };
}
