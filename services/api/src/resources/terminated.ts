// SQL conditions for terminated rows and for how long they are still shown. A row past `expires_at` is over for every
// reader from that moment, even before its end is written. The clock is PostgreSQL's, which also sets the time of
// termination.
import { liveResource, retentionSeconds } from '@berth/database';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** SQL conditions on a row at the given time. */
export function conditionsAt(clock: RawBuilder<Date>) {
  const isLive = sql<SqlBool>`(${liveResource()} and (expires_at is null or expires_at > ${clock}))`;
  const stillShown = sql<SqlBool>`coalesce(terminated_at, expires_at)
    + make_interval(secs => (${retentionSeconds})::double precision) > ${clock}`;
  return {
    isLive,
    /** Applies to terminated and expired rows only. */
    stillShown,
    liveOrShown: sql<SqlBool>`(${isLive} or ${stillShown})`,
    shownStatus: sql<
      string | null
    >`case when ${liveResource()} and expires_at <= ${clock} then 'TERMINATED' else status end`,
  };
}

export const { isLive, stillShown, liveOrShown, shownStatus } = conditionsAt(sql<Date>`clock_timestamp()`);
