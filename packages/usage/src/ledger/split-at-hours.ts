export const hourMs = 3_600_000;

/** Half-open, in milliseconds since 1970. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Hours are those of UTC, which have the same length at all times. */
export const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs;

/** Cuts at full hours, so that each piece belongs to one hour. An empty period has no pieces. */
export function splitAtHours({ fromMs, toMs }: Period): Period[] {
  const pieces: Period[] = [];
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(startOfHour(startMs) + hourMs, toMs);
    pieces.push({ fromMs: startMs, toMs: endMs });
    startMs = endMs;
  }
  return pieces;
}
