// Writes a settlement, one statement per table, inside the transaction that holds the execution's row. Instances are
// locked before tasks, in the order of their ids, like in the recording of reports.
import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import type { ExecutionCounters, TaskChange } from './settle.ts';
import type { StatusStep } from './status-steps.ts';

export async function markSettled(tx: DatabaseTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update instances set settled_at = clock_timestamp() where id = any(array(
      select id from instances where id = any(${[...ids]}::uuid[]) order by id for update))`.execute(tx);
}

export async function changeTasks(
  tx: DatabaseTransaction,
  executionId: string,
  changes: readonly TaskChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ notBefore, startedAt, completedAt, ...change }) => ({
    ...change,
    not_before: timeText(notBefore),
    started_at: timeText(startedAt),
    completed_at: timeText(completedAt),
  }));
  await sql`
    update tasks set status = said.status, failures = said.failures, losses = said.losses,
      not_before = said.not_before, reason = said.reason, exit_code = said."exitCode", message = said.message,
      started_at = said.started_at, completed_at = said.completed_at, updated_at = clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as said(
      index integer, status text, failures integer, losses integer, not_before timestamptz, reason text,
      "exitCode" integer, message text, started_at timestamptz, completed_at timestamptz)
    where tasks.execution_id = ${executionId} and tasks.index = said.index`.execute(tx);
}

const timeText = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

/** Cancels tasks that wait for a runner, and returns their number. */
export async function cancelWaiting(tx: DatabaseTransaction, executionId: string, limit: number): Promise<number> {
  const done = await sql`
    update tasks set status = 'cancelled', not_before = null, updated_at = clock_timestamp(),
      completed_at = clock_timestamp()
    where execution_id = ${executionId} and index = any(array(
      select index from tasks where execution_id = ${executionId} and status = 'pending' order by index limit ${limit}))`.execute(
    tx,
  );
  return Number(done.numAffectedRows ?? 0);
}

export interface ExecutionChange {
  readonly counters: ExecutionCounters;
  readonly steps: readonly StatusStep[];
  /** The last step is final. */
  readonly isDone: boolean;
  /** Start of the first process of the execution, where this settlement knows one. */
  readonly startedAt?: number | undefined;
}

export async function changeExecution(
  tx: DatabaseTransaction,
  id: string,
  { counters, steps, isDone, startedAt }: ExecutionChange,
): Promise<void> {
  await addStatusEvents(tx, id, steps);
  const status = steps.at(-1)?.status;
  const isStarted = steps.some((step) => step.status === 'running');
  await tx
    .updateTable('executions')
    .set({ ...counters, updated_at: sql<Date>`clock_timestamp()`, generation: sql<number>`generation + 1` })
    .$if(status !== undefined, (query) => query.set({ status: status ?? '' }))
    .$if(isStarted, (query) =>
      query.set({ started_at: startedAt === undefined ? sql<Date>`clock_timestamp()` : new Date(startedAt) }),
    )
    .$if(isDone, (query) => query.set({ completed_at: sql<Date>`clock_timestamp()` }))
    .where('id', '=', id)
    .execute();
}

/** One by one, because a prepared statement would be kept for each number of rows. */
export async function addStatusEvents(
  tx: DatabaseTransaction,
  id: string,
  steps: readonly StatusStep[],
): Promise<void> {
  for (const { status, message } of steps)
    await tx.insertInto('resource_events').values({ resource_uid: id, type: 'execution', status, message }).execute();
}
