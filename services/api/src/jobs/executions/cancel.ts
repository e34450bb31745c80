// Cancels an execution: no new task starts, running tasks end by themselves. An execution that has already ended stays
// as it is.
import { allowLongStatements, type DatabaseTransaction } from '@berth/database';
import { nextStatus } from '@berth/jobs';
import { sql } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import { addEvent } from '../../resources/events.ts';
import { type EnqueueCall, enqueueExecution } from './enqueue-execution.ts';
import { type ExecutionPath, showExecution } from './get.ts';
import { type ExecutionRow, executionColumns, findJob, lockExecution } from './record.ts';

type CancelCall = EnqueueCall & Pick<WriteCall, 'target'>;

export async function cancelExecution(call: CancelCall, path: ExecutionPath): Promise<unknown> {
  const { tx } = call;
  await allowLongStatements(tx);
  const job = await findJob(tx, path.workspace.id, path.job);
  const row = await lockExecution(tx, job.uid, path.executionId);
  call.target(`job/${job.name}/execution/${row.external_id}`);
  const cancelling = nextStatus(row.status, 'cancelAsked');
  if (cancelling === undefined) return showExecution(tx, path, row);
  await addEvent(tx, row.id, { type: 'execution', status: cancelling, message: 'Cancelled on request.' });
  await cancelWaitingTasks(tx, row.id);
  const drained = (await hasRunningTask(tx, row)) ? undefined : nextStatus(cancelling, 'drained');
  if (drained !== undefined)
    await addEvent(tx, row.id, { type: 'execution', status: drained, message: 'Nothing of it runs.' });
  const changed = await tx
    .updateTable('executions')
    .set({
      status: drained ?? cancelling,
      updated_at: sql<Date>`clock_timestamp()`,
      generation: sql<number>`generation + 1`,
      ...(drained === undefined ? {} : { completed_at: sql<Date>`clock_timestamp()` }),
    })
    .where('id', '=', row.id)
    .returning(executionColumns)
    .executeTakeFirstOrThrow();
  await enqueueExecution(call, row.id);
  return showExecution(tx, path, changed);
}

async function cancelWaitingTasks(tx: DatabaseTransaction, executionId: string): Promise<void> {
  await tx
    .updateTable('tasks')
    .set({ status: 'cancelled', updated_at: sql<Date>`clock_timestamp()`, completed_at: sql<Date>`clock_timestamp()` })
    .where('execution_id', '=', executionId)
    .where('status', '=', 'pending')
    .execute();
}

async function hasRunningTask(tx: DatabaseTransaction, { id, started_at }: ExecutionRow): Promise<boolean> {
  if (started_at === null) return false;
  const task = await tx
    .selectFrom('tasks')
    .select('index')
    .where('execution_id', '=', id)
    .where('status', 'in', ['reconciling', 'running'])
    .limit(1)
    .executeTakeFirst();
  return task !== undefined;
}
