import { type Clock, databaseClock, nilUuid } from '@berth/database';
import { cronMessage, defineResyncSource, type KeyOnly, type ResyncSource } from '@berth/durable';
import { sql } from 'kysely';

/** Further ahead than the next resync, and few enough jobs for one walk. */
const aheadMs = 600_000;

/**
 * Jobs with a schedule that is due soon or was due before, and those whose first tick is not known yet. Their timers may
 * be lost; a run arms them again.
 */
export const dueSchedules = (clock: Clock = databaseClock): ResyncSource<KeyOnly> =>
  defineResyncSource({
    to: cronMessage,
    async page(database, after, limit) {
      const until = new Date((await clock(database)) + aheadMs);
      const { rows } = await sql<{ uid: string }>`
        select distinct resource_uid as uid from cron_triggers
        where is_enabled and (next_at is null or next_at < ${until}) and resource_uid > ${after ?? nilUuid}
        order by resource_uid limit ${limit}`.execute(database);
      return rows.map(({ uid }) => ({ key: uid, message: {} }));
    },
  });
