// One interval of an instance: how far it reaches, and where it ends. Pure. Where the end of a process is not known exactly,
// the earlier time counts.

export interface Interval {
  readonly instance: string;
  readonly number: number;
  readonly fromMs: number;
  /** The last mark while the interval is open. */
  readonly toMs: number;
  /** Time since boot at `fromMs`: it bounds the interval where the clock of the deployment jumps. */
  readonly fromUptimeMs: number;
  readonly memoryMb: number;
  /** Names one run of a container. */
  readonly run: string;
  readonly isOpen: boolean;
}

/** Deployment time and time since boot, read together. */
export interface Instant {
  readonly nowMs: number;
  readonly uptimeMs: number;
}

export interface OpenInterval {
  readonly interval: Interval;
  /** Host pid of the first process; undefined when it cannot be checked. */
  readonly pid: number | undefined;
  /** The interval does not grow: its sandbox is being frozen, or whether it is frozen is not known. */
  readonly isHeld: boolean;
  /** A mark found the process gone at this time. */
  readonly goneMs: number | undefined;
}

/** A message does not grow with the life of an instance: its interval is closed after this time. */
export const maxIntervalMs = 3_600_000;

/** End of an interval that still runs: never more than has really passed, and never later than now. */
export const reach = ({ fromMs, toMs, fromUptimeMs }: Interval, { nowMs, uptimeMs }: Instant): number =>
  Math.max(toMs, Math.min(nowMs, fromMs + uptimeMs - fromUptimeMs));

/**
 * End of an interval whose run is over. `atMs` is the end of the process, where it is known. Otherwise the interval ends
 * now if its process still runs, and at its last mark if it does not.
 */
export function endOf(
  { interval, isHeld, goneMs }: OpenInterval,
  instant: Instant,
  { atMs, isAlive }: { readonly atMs: number | undefined; readonly isAlive: boolean },
): number {
  const { fromMs, toMs } = interval;
  if (atMs === undefined) return isAlive && !isHeld ? reach(interval, instant) : toMs;
  const endMs = reach(interval, instant) - Math.max(0, instant.nowMs - atMs);
  // The engine noticed the end later than the mark did, for example because it was down.
  if (goneMs !== undefined && endMs > goneMs) return toMs;
  return Math.max(fromMs, isHeld ? Math.min(endMs, toMs) : endMs);
}
