// Starts the execution of one tick, in the transaction that holds the job's row.
import { type DatabaseTransaction, hasQuotaLeft, uuidv7 } from '@berth/database';
import { limitOf } from '@berth/instances';
import {
  type CronTrigger,
  countExecution,
  executionIdOf,
  insertExecution,
  jobSettings,
  loadRevision,
  storedExecution,
} from '@berth/jobs';
import type { Dependencies } from '../run/dependencies.ts';
import { loadNewestEvent } from '../run/newest-event.ts';
import type { ScheduledJob } from './load-schedules.ts';
import { minuteText, tickMessageId } from './plan-tick.ts';

/** `known`: the tick has its execution already. `refused`: the account's limit leaves no room, and an event says so. */
export type TickOutcome = 'started' | 'known' | 'refused';

export async function startTick(
  tx: DatabaseTransaction,
  { limits, random }: Pick<Dependencies, 'limits' | 'random'>,
  job: ScheduledJob,
  trigger: CronTrigger,
  tickAt: number,
): Promise<TickOutcome> {
  const { account, workspace_id: workspaceId, uid: jobUid } = job;
  const revision = await loadRevision(tx, job, random);
  const { parallelism, memoryMb, ...settings } = jobSettings(revision.spec);
  const { maxRetries = settings.maxRetries, timeoutSeconds = settings.timeoutSeconds } = trigger;
  const stored = storedExecution({ parallelism, maxRetries, timeoutSeconds }, revision, trigger.tasks);
  const limit = limitOf(account, limits, 'execution_bytes');
  const reservation = { accountId: account.id, resourceType: 'execution_bytes', limit, amount: stored.bytes };
  if (!(await hasQuotaLeft(tx, reservation))) {
    await explainRefusal(tx, job, trigger.id, limit);
    return 'refused';
  }
  const messageId = tickMessageId(trigger.id, tickAt);
  const isNew = await insertExecution(tx, {
    ...{ messageId, workspaceId, jobUid, parallelism, memoryMb, stored },
    id: executionIdOf(jobUid, messageId),
    externalId: uuidv7(),
    createdBy: `trigger:${trigger.id}`,
    message: `Queued by the schedule of the trigger ${trigger.id}, due at ${minuteText(tickAt)}.`,
    trigger: trigger.origin,
  });
  if (!isNew) return 'known';
  const isCounted = await countExecution(tx, {
    ...{ limit, workspaceId, jobUid },
    accountId: account.id,
    bytes: stored.bytes,
  });
  // Nothing is stored then. The handler runs again, and finds no room before it inserts.
  if (!isCounted) throw new Error('Another start took the rest of the limit execution_bytes.');
  return 'started';
}

/** A job has at most one such event in a row, so that a schedule does not displace the events of the job. */
async function explainRefusal(
  tx: DatabaseTransaction,
  job: ScheduledJob,
  triggerId: string,
  limit: number,
): Promise<void> {
  const message = `The schedule of the trigger ${triggerId} starts no execution: the account has reached its limit of ${limit} execution_bytes. Executions that have expired make room; ask the operator for a higher limit.`;
  if ((await loadNewestEvent(tx, job))?.message === message) return;
  await tx.insertInto('resource_events').values({ resource_uid: job.uid, type: 'warning', message }).execute();
}
