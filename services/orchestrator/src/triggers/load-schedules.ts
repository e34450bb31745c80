// Reads and changes the schedules of a job, inside the transaction that starts an execution.
import type { DatabaseTransaction } from '@berth/database';

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
