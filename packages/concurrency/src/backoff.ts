/** Exponential backoff. Half of each pause is random, so that callers that failed together do not retry together. */
export function backoffMs(failures: number, firstMs: number, maxMs: number, random: () => number): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return whole / 2 + (whole / 2) * random();
}
