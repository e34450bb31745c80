// Reads a job and its schedules, inside the transaction that starts an execution.
import { type DatabaseTransaction, type JsonObject, liveResource } from '@berth/database';
import { sql } from 'kysely';

export interface ScheduledJob {
  readonly uid: string;
  readonly workspace_id: string;
  readonly spec: JsonObject;
  readonly created_at: Date;
  readonly account: { readonly id: string; readonly tier: string; readonly quotas: Readonly<Record<string, number>> };
}

/**
 * Undefined when the job or its workspace is gone. The lock excludes other runs and writes of the job, but not starts
 * through the API, which hold the row's key for as long as they insert tasks.
 */
export async function lockJob(tx: DatabaseTransaction, uid: string): Promise<ScheduledJob | undefined> {
  const { rows } = await sql<ScheduledJob>`
    select resources.uid, resources.workspace_id, resources.spec, resources.created_at,
      jsonb_build_object('id', accounts.id, 'tier', accounts.tier, 'quotas', accounts.quotas) as account
    from resources
    join workspaces on workspaces.id = resources.workspace_id
    join accounts on accounts.id = workspaces.account_id
    where resources.uid = ${uid} and resources.kind = 'job' and ${liveResource('resources')}
    for no key update of resources`.execute(tx);
  return rows[0];
}

export interface Schedule {
  readonly triggerId: string;
  readonly schedule: string;
  /** Undefined for a trigger whose first tick is not known yet. */
  readonly nextAt: number | undefined;
}

/** Enabled schedules of the job, those that are due for the longest time first. */
export async function loadSchedules(tx: DatabaseTransaction, jobUid: string): Promise<Schedule[]> {
  const rows = await tx
    .selectFrom('cron_triggers')
    .select(['trigger_id', 'schedule', 'next_at'])
    .where('resource_uid', '=', jobUid)
    .where('is_enabled', '=', true)
    .orderBy('next_at', (order) => order.asc().nullsFirst())
    .orderBy('trigger_id')
    .execute();
  return rows.map((row) => ({
    triggerId: row.trigger_id,
    schedule: row.schedule,
    nextAt: row.next_at?.getTime(),
  }));
}

interface ScheduleChange {
  /** Undefined when no further tick exists. */
  readonly nextAt: number | undefined;
  /** The tick that was handled, if one was. */
  readonly lastAt: number | undefined;
}

/** A schedule that never fires again is disabled. */
export async function changeSchedule(
  tx: DatabaseTransaction,
  jobUid: string,
  triggerId: string,
  { nextAt, lastAt }: ScheduleChange,
): Promise<void> {
  await tx
    .updateTable('cron_triggers')
    .set({ next_at: nextAt === undefined ? null : new Date(nextAt), is_enabled: nextAt !== undefined })
    .$if(lastAt !== undefined, (query) => query.set({ last_at: new Date(lastAt ?? 0) }))
    .where('resource_uid', '=', jobUid)
    .where('trigger_id', '=', triggerId)
    .execute();
}
