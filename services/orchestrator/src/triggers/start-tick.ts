// Starts the execution of one tick, in the transaction that holds the job's row.
import type { DatabaseTransaction } from '@berth/database';
import {
  type CronTrigger,
  type StartableJob,
  type StartDependencies,
  type StartResult,
  startByTrigger,
} from '@berth/jobs';
import { loadNewestEvent } from '../run/newest-event.ts';
import { minuteText, tickMessageId } from './plan-tick.ts';

/** `refused`: an event of the job says why. */
export type TickOutcome = StartResult['outcome'];

export async function startTick(
  tx: DatabaseTransaction,
  dependencies: StartDependencies,
  job: StartableJob,
  trigger: CronTrigger,
  tickAt: number,
): Promise<TickOutcome> {
  // A start that throws stores nothing. The handler runs again, and finds no room before it inserts.
  const result = await startByTrigger(tx, dependencies, {
    ...{ job, trigger },
    messageId: tickMessageId(trigger.id, tickAt),
    createdBy: `trigger:${trigger.id}`,
    message: `Queued by the schedule of the trigger ${trigger.id}, due at ${minuteText(tickAt)}.`,
  });
  if (result.outcome === 'refused') await explainRefusal(tx, job, trigger.id, result.reason);
  return result.outcome;
}

/** A job has at most one such event in a row, so that a schedule does not displace the events of the job. */
async function explainRefusal(
  tx: DatabaseTransaction,
  job: StartableJob,
  triggerId: string,
  reason: string,
): Promise<void> {
  const message = `The schedule of the trigger ${triggerId} starts no execution: ${reason}`;
  if ((await loadNewestEvent(tx, job))?.message === message) return;
  await tx.insertInto('resource_events').values({ resource_uid: job.uid, type: 'warning', message }).execute();
}
