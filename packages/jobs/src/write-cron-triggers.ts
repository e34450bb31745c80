// Keeps the rows of a job's schedules in step with its spec, in the transaction that writes the job.
import { type Clock, type DatabaseTransaction, databaseClock, enqueue } from '@berth/database';
import { sql } from 'kysely';
import { type CronTrigger, cronTriggersOf } from './cron-triggers.ts';
import { firstTick } from './ticks.ts';
import type { WrittenJob } from './written-job.ts';

interface CronRow {
  readonly triggerId: string;
  readonly schedule: string;
  readonly isEnabled: boolean;
  readonly nextAt: number | undefined;
}

/** The caller holds the job's row. Deleting the job deletes the rows. */
export async function writeCronTriggers(
  tx: DatabaseTransaction,
  job: WrittenJob,
  clock: Clock = databaseClock,
): Promise<void> {
  const wanted = cronTriggersOf(job.spec);
  const stored = await loadRows(tx, job.uid);
  if (stored.length > 0) await deleteOthers(tx, job.uid, wanted);
  if (wanted.length === 0) return;
  for (const row of changedRows(wanted, stored, await clock(tx))) await writeRow(tx, job, row);
  // Arms the timer of the next tick. A run that finds nothing due changes nothing.
  if (wanted.some(({ isEnabled }) => isEnabled))
    await enqueue(tx, { topic: 'cron', key: job.uid, workspaceId: job.workspaceId });
}

/**
 * A trigger whose schedule and switch stay the same keeps its next tick, so that a change of the job neither repeats nor
 * loses one. A trigger that is changed or enabled begins with the first tick after now.
 */
export function changedRows(wanted: readonly CronTrigger[], stored: readonly CronRow[], nowMs: number): CronRow[] {
  return wanted.flatMap(({ id, schedule, isEnabled }) => {
    const previous = stored.find(({ triggerId }) => triggerId === id);
    const isSame = previous?.schedule === schedule && previous.isEnabled === isEnabled;
    if (isSame && (!isEnabled || previous.nextAt !== undefined)) return [];
    const nextAt = isEnabled ? firstTick(schedule, nowMs) : undefined;
    return [{ triggerId: id, schedule, isEnabled: nextAt !== undefined, nextAt }];
  });
}

async function loadRows(tx: DatabaseTransaction, jobUid: string): Promise<CronRow[]> {
  const rows = await tx
    .selectFrom('cron_triggers')
    .select(['trigger_id', 'schedule', 'is_enabled', 'next_at'])
    .where('resource_uid', '=', jobUid)
    .execute();
  return rows.map((row) => ({
    triggerId: row.trigger_id,
    schedule: row.schedule,
    isEnabled: row.is_enabled,
    nextAt: row.next_at?.getTime(),
  }));
}

/** An array instead of a list, because a prepared statement would be kept for each number of triggers. */
async function deleteOthers(tx: DatabaseTransaction, jobUid: string, kept: readonly CronTrigger[]): Promise<void> {
  const ids = kept.map(({ id }) => id);
  await sql`delete from cron_triggers where resource_uid = ${jobUid} and trigger_id <> all(${ids}::text[])`.execute(tx);
}

async function writeRow(tx: DatabaseTransaction, job: WrittenJob, row: CronRow): Promise<void> {
  const values = {
    schedule: row.schedule,
    is_enabled: row.isEnabled,
    next_at: row.nextAt === undefined ? null : new Date(row.nextAt),
  };
  await tx
    .insertInto('cron_triggers')
    .values({ resource_uid: job.uid, trigger_id: row.triggerId, workspace_id: job.workspaceId, ...values })
    .onConflict((conflict) => conflict.columns(['resource_uid', 'trigger_id']).doUpdateSet(values))
    .execute();
}
