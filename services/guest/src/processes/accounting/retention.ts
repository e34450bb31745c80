// Limits on how long finished processes are listed and how much output is kept of each. Decisions only: sweeper.ts
// carries them out.

export type Finished = { id: string; completedAtMs: number };

const HOUR_MS = 3_600_000;
const MOST_FINISHED = 200;
const LEAST_AGE_MS = HOUR_MS / 4;
const MOST_AGE_MS = 24 * HOUR_MS;
// A caller that starts dozens of processes a second for a quarter of an hour must not fill the sandbox with names.
const MOST_FINISHED_EVER = 5000;

/**
 * Processes to drop: older than a day, or beyond the newest 200, but none within a quarter of an hour, unless there are
 * too many even for that.
 */
export function finishedToDrop(finished: readonly Finished[], nowMs: number): string[] {
  const newestFirst = finished.toSorted((a, b) => b.completedAtMs - a.completedAtMs);
  return newestFirst
    .filter(({ completedAtMs }, index) => {
      const ageMs = nowMs - completedAtMs;
      if (index >= MOST_FINISHED_EVER) return true;
      return ageMs >= LEAST_AGE_MS && (index >= MOST_FINISHED || ageMs >= MOST_AGE_MS);
    })
    .map(({ id }) => id);
}

export type LogBudget = {
  /** Limit of one log; 0 = only its share. */
  mostBytesPerFile: number;
  /** Limit of all logs together; undefined = a share of the memory. */
  mostBytesTotal: number | undefined;
  mostPercentOfMemory: number;
  memoryBytes: number | undefined;
};

const LOGS_PER_PROCESS = 3;
export const LEAST_LOG_BYTES = 256 * 1024;
const TOTAL_WITHOUT_MEMORY_BYTES = 96 * 1024 * 1024;

export function totalLogBytes({ mostBytesTotal, mostPercentOfMemory, memoryBytes }: LogBudget): number {
  if (mostBytesTotal !== undefined) return mostBytesTotal;
  return memoryBytes === undefined ? TOTAL_WITHOUT_MEMORY_BYTES : Math.floor((memoryBytes * mostPercentOfMemory) / 100);
}

/** Limit of each log when this number of processes share the budget. */
export function logBytesEach(budget: LogBudget, processes: number): number {
  const share = Math.floor(totalLogBytes(budget) / (LOGS_PER_PROCESS * Math.max(1, processes)));
  const most = budget.mostBytesPerFile === 0 ? share : Math.min(budget.mostBytesPerFile, share);
  return Math.max(LEAST_LOG_BYTES, most);
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
