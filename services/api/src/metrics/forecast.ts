// The expected cost of a month. Pure.

const dayMs = 86_400_000;

/** Costs are integers in 10⁻¹² USD. */
interface Spent {
  readonly nowMs: number;
  readonly monthEndMs: number;
  /** Cost of the month so far. */
  readonly monthPico: bigint;
  /** Cost of the last days, which may begin before the month. */
  readonly recentPico: bigint;
  /** First usage within these days. */
  readonly firstUsageMs: number | undefined;
}

/**
 * The cost so far, and for the rest of the month the mean rate since the first usage of the last days. The rate is over a day
 * at least: minutes of a new account say nothing about a month.
 */
export function forecast({ nowMs, monthEndMs, monthPico, recentPico, firstUsageMs = nowMs }: Spent): bigint {
  const rateMs = BigInt(Math.max(nowMs - firstUsageMs, dayMs));
  const restMs = BigInt(Math.max(monthEndMs - nowMs, 0));
  // Rounded to the nearest integer.
  return monthPico + (2n * recentPico * restMs + rateMs) / (2n * rateMs);
}
