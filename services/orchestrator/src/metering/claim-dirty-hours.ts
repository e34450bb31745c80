// Takes hours of the ledger that can be closed. A claim is a lease: where the process that holds it is killed, the hour
// can be claimed again when the lease ends.
import type { Database } from '@berth/database';
import { sql } from 'kysely';

export interface DirtyHour {
  readonly accountId: string;
  readonly hour: Date;
  /** Recorded with the close: new rows raise it. */
  readonly marks: string;
}

/** Time after the end of an hour in which most of its rows arrive. */
const settleMinutes = 15;

export async function claimDirtyHours(database: Database, limit: number, leaseMs: number): Promise<DirtyHour[]> {
  const { rows } = await sql<DirtyHour>`
    update usage_dirty_hours as dirty
    set claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
    from (
      select account_id, hour from usage_dirty_hours
      where hour <= now() - interval '1 hour' - make_interval(mins => ${settleMinutes}) and claimed_until <= now()
      order by hour limit ${limit} for update skip locked
    ) as chosen
    where dirty.account_id = chosen.account_id and dirty.hour = chosen.hour
    returning dirty.account_id as "accountId", dirty.hour, dirty.marks::text as marks`.execute(database);
  return rows;
}
