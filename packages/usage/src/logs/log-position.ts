// Where a follower of logs is. The lines of an instance are stored in the order of their sequence numbers, so the last number of
// each instance tells which of its lines are still to come. A time does not: lines of different machines arrive in any order.

/** What a follower has read of one instance. */
interface ReadSoFar {
  /** Place of the last line: its sequence number. */
  readonly place: number;
  /** Time of the last line. */
  readonly atMs: number;
}

export interface LogPosition {
  /** Lines before this time are not looked for. */
  readonly sinceMs: number;
  /** By instance; notes of the runner count for themselves, because their numbers are above those of all lines. */
  readonly sources: Readonly<Record<string, ReadSoFar>>;
}

/** A line that comes later than this after its time is not shown to followers. */
export const lateMs = 10 * 60_000;
/** A position travels in an address, so its length is limited. */
export const maxSources = 250;

export interface PlacedLine extends ReadSoFar {
  readonly source: string;
}

/** The position after these lines. */
export function advance(
  { sinceMs, sources }: LogPosition,
  lines: readonly PlacedLine[],
  /** The time of the query, where it found all lines. */
  upToDateAtMs?: number,
): LogPosition {
  const read = new Map(Object.entries(sources));
  for (const { source, place, atMs } of lines) {
    const known = read.get(source) ?? { place: -1, atMs: 0 };
    read.set(source, { place: Math.max(known.place, place), atMs: Math.max(known.atMs, atMs) });
  }
  const since = upToDateAtMs === undefined ? sinceMs : Math.max(sinceMs, upToDateAtMs - lateMs);
  const byTime = [...read].filter(([, { atMs }]) => atMs >= since).toSorted(([, a], [, b]) => b.atMs - a.atMs);
  const left = byTime[maxSources];
  return {
    // What was read of an instance that finds no room may not be found again.
    sinceMs: left === undefined ? since : left[1].atMs + 1,
    sources: Object.fromEntries(byTime.slice(0, maxSources)),
  };
}
