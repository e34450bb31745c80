// Histograms of durations. The counts are stored with every row, so a changed list of bounds needs a new column.

/** Upper bounds in milliseconds. The last count of a histogram has what is longer than all of them. */
export const durationBoundsMs = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000, 900_000,
] as const;

export const noDurations = (): number[] => Array<number>(durationBoundsMs.length + 1).fill(0);

/** Called for every request, so it allocates nothing. */
export function countDuration(durations: number[], ms: number): void {
  let at = 0;
  for (const bound of durationBoundsMs) {
    if (ms <= bound) break;
    at += 1;
  }
  durations[at] = (durations[at] ?? 0) + 1;
}

export const addDurations = (one: readonly number[], other: readonly number[]): number[] =>
  durationBoundsMs
    .map((_, at) => (one[at] ?? 0) + (other[at] ?? 0))
    .concat((one[durationBoundsMs.length] ?? 0) + (other[durationBoundsMs.length] ?? 0));
