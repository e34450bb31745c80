// Under gVisor the memory limit applies to the whole sandbox: exceeding it ends the sandbox with everything in it, not
// one process. So the biggest process is ended before that. Decisions only: watch-memory-pressure.ts looks and acts.
import { bytesPerMb } from '@berth/contract/guest';

// The fastest rate at which memory can be filled.
const maxBytesPerMs = (2 * 1024 * bytesPerMb) / 1000;
const minLookMs = 5;
const maxLookMs = 500;
const minReserveBytes = 32 * bytesPerMb;
const reserveShare = 0.04;
const maxReserveShare = 0.125;
// An ended process is gone at once, but its memory comes back in steps: 400 MB in 20 to 90 ms, later on a busy machine.
const giveBackMs = 1_000;
const growthBytes = 4 * bytesPerMb;
// Ending a small process frees little, so it is ended only when the memory of the last one is certainly back.
const smallBytes = 16 * bytesPerMb;
const giveBackBeforeSmallMs = 10_000;

export type Load = { totalBytes: number; freeBytes: number };

export type Candidate = { pid: number; group: number; residentBytes: number };

/** Memory that must stay free, so that a process is ended before the memory runs out. */
export function reserveBytes(totalBytes: number): number {
  const wanted = Math.max(minReserveBytes, totalBytes * reserveShare);
  return Math.min(wanted, totalBytes * maxReserveShare);
}

/** Time until the next look: the shorter the less memory is free, based on the fastest rate of filling. */
export function nextLookMs({ totalBytes, freeBytes }: Load): number {
  const sparedBytes = Math.max(0, freeBytes - reserveBytes(totalBytes));
  return Math.min(maxLookMs, Math.max(minLookMs, sparedBytes / maxBytesPerMs));
}

export const isShort = ({ totalBytes, freeBytes }: Load): boolean => freeBytes < reserveBytes(totalBytes);

/** The group that was ended last, and the memory of all processes at that time. */
export type Ended = { group: number; atMs: number; residentBytes: ReadonlyMap<number, number> };

/**
 * Group of the biggest process. While memory of the `last` group may still be coming back, only a process that has
 * grown since then qualifies, and for longer only a process that is big: the others had no part in the shortage.
 */
export function groupToEnd(
  candidates: readonly Candidate[],
  last: Ended | undefined,
  nowMs: number,
): number | undefined {
  const [biggest] = candidates
    .filter((candidate) => last === undefined || hasGrown(candidate, last) || mayEnd(candidate, nowMs - last.atMs))
    .toSorted((a, b) => b.residentBytes - a.residentBytes);
  return biggest?.group;
}

const hasGrown = ({ pid, group, residentBytes }: Candidate, { group: ended, residentBytes: before }: Ended): boolean =>
  group !== ended && residentBytes > (before.get(pid) ?? 0) + growthBytes;

const mayEnd = ({ residentBytes }: Candidate, sinceLastMs: number): boolean =>
  sinceLastMs >= (residentBytes < smallBytes ? giveBackBeforeSmallMs : giveBackMs);
