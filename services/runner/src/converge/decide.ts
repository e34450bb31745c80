// What to do next about one instance, from what is wanted, what the engine shows and what was tried. No effects: a worker
// carries the step out, looks again and asks again.
import type { FailureCode } from '@berth/contract';

export interface Seen {
  readonly status: 'absent' | 'created' | 'running' | 'paused' | 'exited';
  readonly outOfMemory: boolean;
  /** Whether the network it was made with is still there for it; a container without has to be made anew. */
  readonly isWired: boolean;
  /** How long its present or last run has answered; absent when that run never did. */
  readonly answeredMs: number | undefined;
  /** Its owner has put something into it that nobody can make again: it is never swapped for an empty one, and may sleep. */
  readonly isKept: boolean;
  /** Somebody has just become its owner and waits for it; nothing of theirs has run in it yet. */
  readonly isAwaited: boolean;
}

export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}

export interface Attempt {
  /** How often its process was started, for people to read. */
  readonly starts: number;
  /** In a row: runs that never answered, or not for long. */
  readonly failedStarts: number;
  /** In a row, since it last ran for long: how patient the next restart is. */
  readonly restarts: number;
  readonly hasAnswered: boolean;
  /** It was given up; only being no longer wanted ends that. */
  readonly failure: Failure | undefined;
}

export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'create' }
  | { readonly do: 'start' }
  | {
      readonly do: 'restart';
      readonly afterMs: number;
      /** With a new container. */
      readonly isAnew: boolean;
      readonly failedStarts: number;
      readonly restarts: number;
    }
  | { readonly do: 'probe' }
  | { readonly do: 'unpause' }
  /** Away with the container, not with the instance. */
  | { readonly do: 'discard' }
  | {
      readonly do: 'fail';
      readonly code: 'crash_loop' | 'out_of_memory';
      readonly failedStarts: number;
      /** With all that was in it. */
      readonly isLost: boolean;
    }
  | { readonly do: 'stop' }
  /** Away with the container and what it has written, without a last word. */
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
/** A run that answered for less than this has not really come up. */
export const shortRunMs = 10_000;
/** After a run of this length, what went before is forgiven. */
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
      // It sleeps. One that this process has not seen before is made known to those who wake it.
      if (seen.isKept) return { do: seen.answeredMs === undefined ? 'probe' : 'nothing' };
      return { do: 'unpause' };
    case 'running':
      if (!seen.isWired) return { do: 'discard' };
      return { do: seen.answeredMs === undefined ? 'probe' : 'nothing' };
    case 'exited':
      return afterEnd(seen, attempt);
  }
}

/** Nothing can be started again in what is left of it, if anything is. */
const isLost = ({ status, isWired }: Seen): boolean => status === 'absent' || !isWired;

const endCode = ({ outOfMemory }: Seen) => (outOfMemory ? 'out_of_memory' : 'crash_loop');

const isAlive = ({ status }: Seen): boolean => status === 'running' || status === 'paused';

/** Whoever filled the disk leaves nothing behind: that is what it was ended for. */
function afterFailure(seen: Seen, { code }: Failure): Step {
  if (code === 'disk_full') return { do: seen.status === 'absent' ? 'nothing' : 'erase' };
  return { do: isAlive(seen) ? 'stop' : 'nothing' };
}

function afterEnd(seen: Seen, attempt: Attempt): Step {
  const { outOfMemory, answeredMs, isWired, isAwaited } = seen;
  const isFailedStart = answeredMs === undefined || answeredMs < shortRunMs;
  const failedStarts = isFailedStart ? attempt.failedStarts + 1 : 0;
  // What needs more memory before it ever answered needs it the next time too.
  const isHopeless = outOfMemory && answeredMs === undefined;
  if (isHopeless || failedStarts >= mostFailedStarts) {
    return { do: 'fail', code: endCode(seen), failedStarts, isLost: false };
  }
  const restarts = answeredMs !== undefined && answeredMs >= longRunMs ? 1 : attempt.restarts + 1;
  const pauseMs = Math.min(mostPauseMs, firstPauseMs * 2 ** Math.min(30, restarts - 1));
  // Before it has ever answered to an owner there is nobody to protect by waiting, and someone who waits for the verdict.
  const afterMs = attempt.hasAnswered && !isAwaited ? pauseMs : 0;
  return { do: 'restart', afterMs, isAnew: !isWired, failedStarts, restarts };
}
