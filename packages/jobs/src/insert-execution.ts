// Starts an execution: inserts its row and its tasks and enqueues `dispatch`. The execution is `queued` until `dispatch`
// finds a runner for its first task. The counters are separate, because a transaction takes them last.
import {
  addToCount,
  allowLongStatements,
  type DatabaseTransaction,
  type ExecutionTrigger,
  enqueue,
  outboxKeys,
  reserveQuota,
} from '@berth/database';
import { sql } from 'kysely';
import type { StoredExecution } from './stored-execution.ts';

export interface NewExecution {
  /** Made by `executionIdOf`. */
  readonly id: string;
  readonly messageId: string;
  readonly externalId: string;
  readonly workspaceId: string;
  readonly jobUid: string;
  readonly parallelism: number;
  readonly memoryMb: number;
  readonly stored: StoredExecution;
  readonly createdBy: string;
  /** Text of the first event. */
  readonly message: string;
  /** Undefined for a start through the API. */
  readonly trigger?: ExecutionTrigger | undefined;
  readonly trace?: string | undefined;
}

/** False when its id or its external id is taken; nothing is written then. */
export async function insertExecution(tx: DatabaseTransaction, execution: NewExecution): Promise<boolean> {
  await allowLongStatements(tx);
  if (!(await insertRow(tx, execution))) return false;
  await insertTasks(tx, execution.id, execution.stored.inputs);
  await tx
    .insertInto('resource_events')
    .values({ resource_uid: execution.id, type: 'execution', status: 'queued', message: execution.message })
    .execute();
  await enqueue(tx, { topic: 'dispatch', key: outboxKeys.dispatch, trace: execution.trace });
  return true;
}

async function insertRow(tx: DatabaseTransaction, execution: NewExecution): Promise<boolean> {
  const { stored, trigger } = execution;
  const inserted = await tx
    .insertInto('executions')
    .values({
      id: execution.id,
      workspace_id: execution.workspaceId,
      job_uid: execution.jobUid,
      external_id: execution.externalId,
      message_id: execution.messageId,
      status: 'queued',
      spec: stored.spec,
      trigger: trigger === undefined ? null : JSON.stringify(trigger),
      task_count: stored.taskCount,
      parallelism: execution.parallelism,
      memory_mb: execution.memoryMb,
      bytes: stored.bytes,
      created_by: execution.createdBy,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Uses one statement for any number of tasks. */
async function insertTasks(tx: DatabaseTransaction, executionId: string, inputs: string): Promise<void> {
  await sql`
    insert into tasks (execution_id, index, input)
    select ${executionId}, place - 1, input
    from jsonb_array_elements(${inputs}::jsonb) with ordinality as given(input, place)`.execute(tx);
}

interface CountedExecution {
  readonly accountId: string;
  /** The account's `execution_bytes`. */
  readonly limit: number;
  readonly bytes: number;
  readonly workspaceId: string;
  readonly jobUid: string;
}

/** Takes the counters that many writers share, so it comes last. False when the account's limit refuses the execution. */
export async function countExecution(
  tx: DatabaseTransaction,
  { accountId, limit, bytes, workspaceId, jobUid }: CountedExecution,
): Promise<boolean> {
  if (!(await reserveQuota(tx, { accountId, resourceType: 'execution_bytes', limit, amount: bytes }))) return false;
  await addToCount(tx, { workspaceId, kind: 'execution', parentUid: jobUid }, 1);
  return true;
}
