/** Doubles from failure to failure; half of it is chance, so that many who failed together do not come back together. */
export function backoffMs(failures: number, firstMs: number, mostMs: number, random: () => number): number {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return whole / 2 + (whole / 2) * random();
}
