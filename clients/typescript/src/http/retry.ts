// Whether a request is sent again, and when. A request is repeated only where that is provably safe. Pure.

/** How a try ended that gave no good answer. */
export interface Failure {
  /** Undefined when the connection broke or nothing answered in time. */
  readonly status: number | undefined;
  readonly notDispatched: boolean;
  readonly retryAfterMs: number | undefined;
}

export interface RetryRules {
  readonly maxTries: number;
  /** The same request twice does what it does once: a read, or one that carries its own name. */
  readonly isRepeatable: boolean;
}

const passing = new Set([408, 429, 502, 503, 504]);
/** Long enough together for a gateway that starts again. */
const firstPauseMs = 250;
const maxPauseMs = 5_000;
/** A service that asks for more is not waited for. */
const maxAskedMs = 30_000;

/** Pause before the next try; undefined when there is none. `random` is from 0 to 1. */
export function pauseBeforeRetry(
  failure: Failure,
  tries: number,
  { maxTries, isRepeatable }: RetryRules,
  random: number,
): number | undefined {
  const { status, notDispatched, retryAfterMs } = failure;
  const isSafe = notDispatched || (isRepeatable && (status === undefined || passing.has(status)));
  if (!isSafe || tries >= maxTries || (retryAfterMs ?? 0) > maxAskedMs) return undefined;
  const pause = (0.5 + random / 2) * Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1));
  return Math.max(pause, retryAfterMs ?? 0);
}
