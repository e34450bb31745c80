import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { insertDelivery } from '@berth/triggers';
import { sql } from 'kysely';
import { z } from 'zod';
import { callbackBody } from './callback-body.ts';

/** The part of `executions.trigger` that callbacks are about. */
const StartedBy = z.object({
  id: z.string(),
  callback: z.object({ url: z.string(), secret: z.object({ $sealed: z.string() }) }).optional(),
});

interface EndedRow {
  readonly workspaceId: string;
  readonly jobUid: string;
  readonly externalId: string;
  readonly job: string | null;
  readonly status: string;
  readonly trigger: JsonObject;
  readonly total: number;
  readonly success: number;
  readonly failure: number;
  readonly cancelled: number;
  readonly retried: number;
  readonly completedAt: Date;
}

/**
 * Stores the callback of an execution that has ended in this transaction, if its trigger has one. True when there is a
 * callback to deliver.
 */
export async function insertCallback(tx: DatabaseTransaction, executionId: string): Promise<boolean> {
  const ended = await loadEnded(tx, executionId);
  if (ended === undefined) return false;
  const { id, callback } = StartedBy.parse(ended.trigger);
  if (callback === undefined) return false;
  const { externalId, job, status, total, success, failure, cancelled, retried, completedAt } = ended;
  const stats = { total, success, failure, cancelled, running: 0, retried };
  return insertDelivery(tx, {
    workspaceId: ended.workspaceId,
    resourceUid: ended.jobUid,
    triggerId: id,
    of: { executionId },
    callback,
    body: callbackBody({ executionId: externalId, job, status, stats, completedAt }),
  });
}

/**
 * Undefined without a trigger, and in a workspace that is being deleted. The workspace stays locked until the
 * transaction ends, so that its deletion finds the callback. A job that was deleted meanwhile is named by an attempt.
 */
async function loadEnded(tx: DatabaseTransaction, executionId: string): Promise<EndedRow | undefined> {
  const { rows } = await sql<EndedRow>`
    select executions.workspace_id as "workspaceId", job_uid as "jobUid", executions.external_id as "externalId",
      executions.status, trigger, task_count as total, succeeded as success, failed as failure, cancelled, retried,
      completed_at as "completedAt",
      coalesce(
        (select name from resources where uid = job_uid),
        (select spec #>> '{resource,name}' from instances where resource_uid = job_uid limit 1)) as job
    from executions join workspaces on workspaces.id = executions.workspace_id
    where executions.id = ${executionId} and completed_at is not null and trigger -> 'callback' is not null
    for key share of workspaces`.execute(tx);
  return rows[0];
}
