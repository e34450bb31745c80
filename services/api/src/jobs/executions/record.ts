// Stored executions and tasks, and the queries that find them.
import { requestErrors } from '@berth/contract';
import type { Database, DatabaseTransaction, Tables } from '@berth/database';
import { type Selectable, sql } from 'kysely';
import { findLive, type ResourceRow } from '../../resources/record.ts';

export type ExecutionRow = Omit<
  Selectable<Tables['executions']>,
  'workspace_id' | 'account_id' | 'bytes' | 'created_by' | 'generation' | 'parallelism' | 'memory_mb' | 'trigger'
>;
export type TaskRow = Omit<Selectable<Tables['tasks']>, 'execution_id' | 'input' | 'attempt' | 'not_before'>;

/** Leaves out the copy of the job, which may be large and is never shown. */
export const executionColumns = [
  'id',
  'job_uid',
  'external_id',
  'message_id',
  'status',
  sql<Record<string, unknown>>`spec - 'job'`.as('spec'),
  'task_count',
  'active',
  'succeeded',
  'failed',
  'cancelled',
  'retried',
  'created_at',
  'updated_at',
  'started_at',
  'completed_at',
] as const;

export const taskColumns = [
  'index',
  'status',
  'failures',
  'losses',
  'reason',
  'exit_code',
  'message',
  'created_at',
  'updated_at',
  'scheduled_at',
  'started_at',
  'completed_at',
] as const;

export async function findJob(database: Database, workspaceId: string, name: string): Promise<ResourceRow> {
  const job = await findLive(database, { workspaceId, kind: 'job' }, name);
  if (job === undefined) throw requestErrors.not_found();
  return job;
}

export async function findExecution(database: Database, jobUid: string, externalId: string): Promise<ExecutionRow> {
  const row = await byExternalId(database, jobUid, externalId).executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  return row;
}

/** Locks the row until the transaction ends, so that two cancels, or a cancel and a report, are serialized. */
export async function lockExecution(
  tx: DatabaseTransaction,
  jobUid: string,
  externalId: string,
): Promise<ExecutionRow> {
  const row = await byExternalId(tx, jobUid, externalId).forUpdate().executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  return row;
}

const byExternalId = (database: Database, jobUid: string, externalId: string) =>
  database
    .selectFrom('executions')
    .select(executionColumns)
    .where('job_uid', '=', jobUid)
    .where('external_id', '=', externalId);
