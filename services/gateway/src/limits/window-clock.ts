/**
 * The clock of windows is PostgreSQL's, so that all gateways agree. Between its answers the monotonic clock of the process
 * continues it; a wall clock that is wrong has no effect.
 */
export interface WindowClock {
  /** Never ahead of PostgreSQL, so that no window opens early. Undefined before the first answer. */
  now(): number | undefined;
  /** An answer arrived that had this time. */
  set(clockMs: number): void;
}

/** `now` is a monotonic clock. */
export function createWindowClock(now: () => number): WindowClock {
  let offsetMs: number | undefined;
  return {
    now: () => (offsetMs === undefined ? undefined : now() + offsetMs),
    set(clockMs) {
      offsetMs = clockMs - now();
    },
  };
}
