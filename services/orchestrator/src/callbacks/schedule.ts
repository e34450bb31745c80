// When a delivery is tried again: 8 times within a day. Pure.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pause after each failed try. The first try is made at once, and the last pause is followed by the last try. */
const pausesMs = [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 3 * hour, 8 * hour, 12 * hour];

export const maxAttempts = pausesMs.length + 1;

/**
 * Pause after this many failed tries, at most a fifth longer than planned, so that deliveries that failed together do
 * not come back together. Undefined after the last try.
 */
export function pauseAfterMs(attempts: number, random: () => number): number | undefined {
  const planned = pausesMs[attempts - 1];
  return planned === undefined ? undefined : Math.round(planned * (1 + 0.2 * random()));
}
