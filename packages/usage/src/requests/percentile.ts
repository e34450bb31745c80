import { durationBoundsMs } from './durations.ts';

/**
 * Estimate from a histogram: the durations between two bounds count as spread evenly. A duration above the last bound
 * counts as that bound. Undefined without any duration.
 */
export function percentile(durations: readonly number[], share: number): number | undefined {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let before = 0;
  let lowerMs = 0;
  for (const [at, upperMs] of durationBoundsMs.entries()) {
    const count = durations[at] ?? 0;
    if (count > 0 && before + count >= rank) return lowerMs + ((upperMs - lowerMs) * (rank - before)) / count;
    before += count;
    lowerMs = upperMs;
  }
  return lowerMs;
}
