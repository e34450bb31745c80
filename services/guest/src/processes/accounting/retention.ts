// Limits on how long finished processes are listed and how much output is kept of each. Decisions only: sweeper.ts
// carries them out.
import { bytesPerMb } from '@berth/contract/guest';

export type Finished = { id: string; completedAtMs: number };

const hourMs = 3_600_000;
const maxFinished = 200;
const minAgeMs = hourMs / 4;
const maxAgeMs = 24 * hourMs;
// A caller that starts dozens of processes a second for a quarter of an hour must not fill the sandbox with names.
const maxFinishedEver = 5000;

/**
 * Processes to drop: older than a day, or beyond the newest 200, but none within a quarter of an hour, unless there are
 * too many even for that.
 */
export function finishedToDrop(finished: readonly Finished[], nowMs: number): string[] {
  const newestFirst = finished.toSorted((a, b) => b.completedAtMs - a.completedAtMs);
  return newestFirst
    .filter(({ completedAtMs }, index) => {
      const ageMs = nowMs - completedAtMs;
      if (index >= maxFinishedEver) return true;
      return ageMs >= minAgeMs && (index >= maxFinished || ageMs >= maxAgeMs);
    })
    .map(({ id }) => id);
}

export type LogBudget = {
  /** Limit of one log; 0 = only its share. */
  maxBytesPerFile: number;
  /** Limit of all logs together; undefined = a share of the memory. */
  maxBytesTotal: number | undefined;
  maxPercentOfMemory: number;
  memoryBytes: number | undefined;
};

const logsPerProcess = 3;
export const minLogBytes = 256 * 1024;
const defaultTotalLogBytes = 96 * bytesPerMb;

export function totalLogBytes({ maxBytesTotal, maxPercentOfMemory, memoryBytes }: LogBudget): number {
  if (maxBytesTotal !== undefined) return maxBytesTotal;
  return memoryBytes === undefined ? defaultTotalLogBytes : Math.floor((memoryBytes * maxPercentOfMemory) / 100);
}

/**
 * Limit of each log. A finished process needs no more than it has, which is little for most; what is left is divided evenly among the
 * others, so that together they stay within the budget.
 */
export function logBytesEach(budget: LogBudget, growing: number, finishedBytes: readonly number[] = []): number {
  const share = Math.floor(evenShare(totalLogBytes(budget), growing, finishedBytes) / logsPerProcess);
  const limit = budget.maxBytesPerFile === 0 ? share : Math.min(budget.maxBytesPerFile, share);
  return Math.max(minLogBytes, limit);
}

function evenShare(totalBytes: number, growing: number, finishedBytes: readonly number[]): number {
  let left = totalBytes;
  let sharers = growing + finishedBytes.length;
  for (const bytes of finishedBytes.toSorted((a, b) => a - b)) {
    if (bytes * sharers > left) break;
    left -= bytes;
    sharers -= 1;
  }
  return left / Math.max(1, sharers);
}

export type KeptLogs = { id: string; completedAtMs: number; keptBytes: number };

/** Many small logs together may still be too much: then the processes that ended first lose theirs. */
export function logsToDrop(finished: readonly KeptLogs[], runningBytes: number, totalBytes: number): string[] {
  let surplus = runningBytes + finished.reduce((sum, { keptBytes }) => sum + keptBytes, 0) - totalBytes;
  const dropped: string[] = [];
  for (const { id, keptBytes } of finished.toSorted((a, b) => a.completedAtMs - b.completedAtMs)) {
    if (surplus <= 0) break;
    if (keptBytes === 0) continue;
    dropped.push(id);
    surplus -= keptBytes;
  }
  return dropped;
}
