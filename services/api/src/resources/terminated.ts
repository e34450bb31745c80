// When a row is over, and how long it is still shown. A rule of its own ends it at `expires_at`: from that moment on it is over
// for everybody, also before somebody has written so. The clock is PostgreSQL's, which also wrote the time of termination.
import { retentionSeconds } from '@berth/database';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Each is true of a row at the time that is said. */
export function conditionsAt(clock: RawBuilder<Date>) {
  const isLive = sql<SqlBool>`(terminated_at is null and (expires_at is null or expires_at > ${clock}))`;
  const stillShown = sql<SqlBool>`coalesce(terminated_at, expires_at)
    + make_interval(secs => (${retentionSeconds})::double precision) > ${clock}`;
  return {
    isLive,
    /** Of one that is over. */
    stillShown,
    liveOrShown: sql<SqlBool>`(${isLive} or ${stillShown})`,
    shownStatus: sql<
      string | null
    >`case when terminated_at is null and expires_at <= ${clock} then 'TERMINATED' else status end`,
  };
}

export const { isLive, stillShown, liveOrShown, shownStatus } = conditionsAt(sql<Date>`clock_timestamp()`);
