// One run of one execution: read, decide, write, in one transaction that holds the execution's row from its first
// statement. A run that was killed after its commit runs again, finds its attempts settled and changes nothing.
import type { DatabaseTransaction } from '@berth/database';
import { insertCallback } from '@berth/jobs';
import type { Dependencies } from '../run/dependencies.ts';
import { type Retired, retireInstances } from '../run/retire-instances.ts';
import { cancelWaiting, changeExecution, changeTasks, markSettled } from './apply.ts';
import { hasOnlyTimeouts, type LockedExecution, loadAttempts, loadUnstarted, lockExecution } from './load-attempts.ts';
import { type ObservedAttempt, settle } from './settle.ts';
import { isDone, pendingTasks, type StatusStep, statusSteps } from './status-steps.ts';

export interface SettledExecution {
  readonly settled: number;
  readonly retired: readonly Retired[];
  readonly steps: readonly StatusStep[];
  /** A task of this execution, or of another one, may be placed now. */
  readonly mayPlace: boolean;
  /** More rows are left than one run takes. */
  readonly hasMore: boolean;
  /** The execution has ended, and its callback is stored. */
  readonly hasCallback: boolean;
}

const nothing: SettledExecution = {
  settled: 0,
  retired: [],
  steps: [],
  mayPlace: false,
  hasMore: false,
  hasCallback: false,
};

/** Rows of each table that one run takes, so that it holds the execution's row for a short time. */
const maxRows = 1_000;

export function settleExecution({ database }: Pick<Dependencies, 'database'>, id: string): Promise<SettledExecution> {
  return database.transaction().execute(async (tx) => {
    const execution = await lockExecution(tx, id);
    return execution === undefined ? nothing : settleLocked(tx, execution);
  });
}

async function settleLocked(tx: DatabaseTransaction, execution: LockedExecution): Promise<SettledExecution> {
  const { id, status, taskCount, parallelism } = execution;
  const isCancelling = status === 'cancelling';
  const attempts = await loadAttempts(tx, id, maxRows);
  const { tasks, settled, counters } = settle(execution, attempts, execution.now);
  const unstarted = isCancelling ? await loadUnstarted(tx, id, maxRows) : [];
  const retired = unstarted.length === 0 ? [] : await retireInstances(tx, unstarted, 'gone');
  await markSettled(tx, settled);
  await changeTasks(tx, id, tasks);
  const cancelled = isCancelling ? await cancelWaiting(tx, id, maxRows) : 0;
  const after = { taskCount, counters: { ...counters, cancelled: counters.cancelled + cancelled } };
  const done = isDone(after);
  const steps = statusSteps({
    ...after,
    status,
    hasStarted: attempts.length > 0,
    hasOnlyTimeouts: done && after.counters.failed > 0 && (await hasOnlyTimeouts(tx, id)),
  });
  if (tasks.length > 0 || cancelled > 0 || steps.length > 0)
    await changeExecution(tx, id, { ...after, steps, isDone: done, startedAt: firstStart(attempts) });
  const hasCallback = done && steps.length > 0 && (await insertCallback(tx, id));
  return {
    settled: settled.length,
    retired,
    steps,
    // Also when there was nothing to settle: the run before may have been killed between its commit and its message.
    mayPlace:
      settled.length > 0 ||
      (attempts.length === 0 && !isCancelling && pendingTasks(after) > 0 && after.counters.active < parallelism),
    hasCallback,
    hasMore: [attempts.length, unstarted.length, cancelled].includes(maxRows),
  };
}

function firstStart(attempts: readonly ObservedAttempt[]): number | undefined {
  const starts = attempts.flatMap(({ startedAt }) => startedAt ?? []);
  return starts.length === 0 ? undefined : Math.min(...starts);
}
