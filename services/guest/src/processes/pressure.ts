// Under gVisor the limit of memory is the whole sandbox's: who runs into it does not fail alone, the sandbox ends with everything
// in it. So the biggest process is ended before that. Decisions only: watch-pressure.ts looks and acts.

const MB = 1024 * 1024;
// As fast as memory can be filled.
const MOST_BYTES_PER_MS = (2 * 1024 * MB) / 1000;
const SHORTEST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 500;
const LEAST_RESERVE_BYTES = 32 * MB;
const RESERVE_SHARE = 0.04;
const MOST_RESERVE_SHARE = 0.125;
// A process that is ended is gone at once, its memory comes back in steps: 400 MB within 20 to 90 ms, on a busy machine later.
const GIVE_BACK_MS = 1_000;
const GROWTH_BYTES = 4 * MB;

export type Load = { totalBytes: number; freeBytes: number };

export type Candidate = { pid: number; group: number; residentBytes: number };

/** What must stay free, so that the end of a process comes before the end of the memory. */
export function reserveBytes(totalBytes: number): number {
  const wanted = Math.max(LEAST_RESERVE_BYTES, totalBytes * RESERVE_SHARE);
  return Math.min(wanted, totalBytes * MOST_RESERVE_SHARE);
}

/** The less is free, the sooner it is looked again: no faster than it can be filled. */
export function nextLookMs({ totalBytes, freeBytes }: Load): number {
  const sparedBytes = Math.max(0, freeBytes - reserveBytes(totalBytes));
  return Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, sparedBytes / MOST_BYTES_PER_MS));
}

export const isShort = ({ totalBytes, freeBytes }: Load): boolean => freeBytes < reserveBytes(totalBytes);

/** The last one that was ended, and how big the others were then. */
export type Ended = { group: number; atMs: number; residentBytes: ReadonlyMap<number, number> };

/**
 * The group of the biggest process. While the memory of the `last` one may still be on its way back, only a process that
 * takes more meanwhile: the others had no part in it.
 */
export function groupToEnd(
  candidates: readonly Candidate[],
  last: Ended | undefined,
  nowMs: number,
): number | undefined {
  const isGivingBack = last !== undefined && nowMs - last.atMs < GIVE_BACK_MS;
  const eligible = isGivingBack ? candidates.filter((candidate) => hasGrown(candidate, last)) : candidates;
  return eligible.toSorted((a, b) => b.residentBytes - a.residentBytes)[0]?.group;
}

const hasGrown = ({ pid, group, residentBytes }: Candidate, { group: ended, residentBytes: before }: Ended): boolean =>
  group !== ended && residentBytes > (before.get(pid) ?? 0) + GROWTH_BYTES;
