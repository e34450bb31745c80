// Cancels an execution: no new task starts, running tasks end by themselves. An execution that has already ended stays
// as it is. The execution's row is locked before its tasks, as in every other place that changes both.
import { allowLongStatements, type DatabaseTransaction, enqueue } from '@berth/database';
import { insertCallback, nextStatus } from '@berth/jobs';
import { sql } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import { addEvent } from '../../resources/events.ts';
import { type ExecutionPath, showExecution } from './get.ts';
import { executionColumns, findJob, lockExecution } from './record.ts';

type CancelCall = Pick<WriteCall, 'tx' | 'trace' | 'target' | 'afterCommit' | 'dependencies'>;

export async function cancelExecution(call: CancelCall, path: ExecutionPath): Promise<unknown> {
  const { tx, trace, dependencies } = call;
  await allowLongStatements(tx);
  const job = await findJob(tx, path.workspace.id, path.job);
  const row = await lockExecution(tx, job.uid, path.executionId);
  call.target(`job/${job.name}/execution/${row.external_id}`);
  const cancelling = nextStatus(row.status, 'cancelAsked');
  if (cancelling === undefined) return showExecution(tx, path, row);
  await addEvent(tx, row.id, { type: 'execution', status: cancelling, message: 'Cancelled on request.' });
  const cancelled = await cancelWaitingTasks(tx, row.id);
  const drained = row.active === 0 ? nextStatus(cancelling, 'drained') : undefined;
  if (drained !== undefined)
    await addEvent(tx, row.id, { type: 'execution', status: drained, message: 'Nothing of it runs.' });
  const changed = await tx
    .updateTable('executions')
    .set({
      status: drained ?? cancelling,
      cancelled: row.cancelled + cancelled,
      updated_at: sql<Date>`clock_timestamp()`,
      generation: sql<number>`generation + 1`,
      ...(drained === undefined ? {} : { completed_at: sql<Date>`clock_timestamp()` }),
    })
    .where('id', '=', row.id)
    .returning(executionColumns)
    .executeTakeFirstOrThrow();
  if (drained !== undefined) await insertCallback(tx, row.id);
  // The handler ends the attempts that have not started yet.
  await enqueue(tx, { topic: 'execution', key: row.id, workspaceId: path.workspace.id, trace });
  call.afterCommit(() => dependencies.notifyOutbox());
  return showExecution(tx, path, changed);
}

/** Returns the number of tasks that it cancelled. */
async function cancelWaitingTasks(tx: DatabaseTransaction, executionId: string): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('tasks')
    .set({
      status: 'cancelled',
      not_before: null,
      updated_at: sql<Date>`clock_timestamp()`,
      completed_at: sql<Date>`clock_timestamp()`,
    })
    .where('execution_id', '=', executionId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
