// Writes the attempts of placed tasks, one statement per table for any number of tasks.
import type { DatabaseTransaction } from '@berth/database';
import { nextStatus } from '@berth/jobs';
import { sql } from 'kysely';
import { addStatusEvents } from '../executions/apply.ts';
import { admittedMessage } from '../executions/status-steps.ts';
import type { LockedWaiting } from './lock-waiting.ts';

export interface PlacedTask {
  /** Id of the instance. */
  readonly id: string;
  readonly runnerId: string;
  readonly taskIndex: number;
  readonly attempt: number;
  readonly spec: object;
}

/** Revision name of attempts whose execution names none: it runs its copy of the job all the same. */
const unnamedRevision = 'job';

export async function writePlaced(
  tx: DatabaseTransaction,
  execution: LockedWaiting,
  placed: readonly PlacedTask[],
  reservedMb: number,
): Promise<void> {
  if (placed.length === 0) return;
  await insertAttempts(tx, execution, placed, reservedMb);
  await startTasks(tx, execution, placed);
  const admitted = nextStatus(execution.status, 'admitted');
  if (admitted !== undefined) await addStatusEvents(tx, execution.id, [{ status: admitted, message: admittedMessage }]);
  await tx
    .updateTable('executions')
    .set({
      active: sql<number>`active + ${placed.length}`,
      status: admitted ?? execution.status,
      updated_at: sql<Date>`clock_timestamp()`,
      generation: sql<number>`generation + 1`,
    })
    .where('id', '=', execution.id)
    .execute();
}

async function insertAttempts(
  tx: DatabaseTransaction,
  { id, job, revision = unnamedRevision }: LockedWaiting,
  placed: readonly PlacedTask[],
  reservedMb: number,
): Promise<void> {
  await sql`
    insert into instances (id, workspace_id, resource_uid, revision, runner_id, spec, reserved_mb,
      execution_id, task_index, attempt)
    select made.id, ${job.workspace.id}::uuid, ${job.uid}::uuid, ${revision}, made."runnerId", made.spec,
      ${reservedMb}::int, ${id}::uuid, made."taskIndex", made.attempt
    from jsonb_to_recordset(${JSON.stringify(placed)}::jsonb) as made(
      id uuid, "runnerId" uuid, "taskIndex" integer, attempt integer, spec jsonb)`.execute(tx);
}

/** Throws when a task is gone, which happens while its workspace is removed: then nothing of the placement is kept. */
async function startTasks(
  tx: DatabaseTransaction,
  { id }: LockedWaiting,
  placed: readonly PlacedTask[],
): Promise<void> {
  const done = await sql`
    update tasks set status = 'reconciling', attempt = tasks.attempt + 1, scheduled_at = clock_timestamp(),
      not_before = null, reason = null, exit_code = null, message = null, started_at = null,
      updated_at = clock_timestamp()
    where execution_id = ${id} and status = 'pending' and index = any(${placed.map(({ taskIndex }) => taskIndex)}::int[])`.execute(
    tx,
  );
  if (Number(done.numAffectedRows ?? 0) !== placed.length)
    throw new Error(`Tasks of execution ${id} changed while they were placed.`);
}
