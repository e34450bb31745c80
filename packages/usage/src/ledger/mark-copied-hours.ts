import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';

/** Rows that were on their way when a copy began, and the time that the copy took. */
const hours = { before: 3, after: 24 };

/**
 * Marks the hours around a copy as dirty. The ledger of a backup is read after the snapshot of PostgreSQL, so it may have rows that
 * the marks of the snapshot do not tell of.
 */
export async function markCopiedHours(tx: DatabaseTransaction, copiedAt: Date): Promise<void> {
  await sql`
    insert into usage_dirty_hours (account_id, hour)
    select accounts.id, hour from accounts cross join generate_series(
      date_trunc('hour', ${copiedAt}::timestamptz - make_interval(hours => ${hours.before}), 'UTC'),
      least(date_trunc('hour', clock_timestamp(), 'UTC'), ${copiedAt}::timestamptz + make_interval(hours => ${hours.after})),
      interval '1 hour') as hour
    on conflict (account_id, hour) do update set marks = usage_dirty_hours.marks + 1`.execute(tx);
}
