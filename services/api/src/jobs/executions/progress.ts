// How fast an execution runs and when it will end, from the counters and times of its row: an execution may have 100 000
// tasks, and a reader asks often. Pure.
import type { ExecutionRow } from './record.ts';

type Counted = Pick<ExecutionRow, 'status' | 'task_count' | 'succeeded' | 'failed' | 'cancelled' | 'started_at'>;

interface Progress {
  /** Tasks that ended per minute since the first one started, with one decimal. */
  readonly tasksPerMinute: number;
  /** The end if the other tasks take as long. */
  readonly expectedEndAt: string;
}

const minuteMs = 60_000;

/** Undefined unless the execution runs, a task has ended and another is left. */
export function progressOf(row: Counted, now: number): Progress | undefined {
  const ended = row.succeeded + row.failed;
  const left = row.task_count - ended - row.cancelled;
  if (row.status !== 'running' || row.started_at === null || ended === 0 || left === 0) return undefined;
  // The clock of the database may be ahead of ours.
  const elapsedMs = Math.max(1, now - row.started_at.getTime());
  return {
    tasksPerMinute: Math.round((ended / elapsedMs) * minuteMs * 10) / 10,
    expectedEndAt: new Date(now + (elapsedMs / ended) * left).toISOString(),
  };
}
