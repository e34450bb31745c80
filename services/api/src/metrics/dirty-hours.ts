import type { Database } from '@berth/database';
import type { MetricsWindow } from './window.ts';

const hourMs = 3_600_000;

/**
 * Hours of the window whose closed rows may lack usage. They are read before the ledger: an hour that is closed in
 * between has the same usage in both.
 */
export async function readDirtyHours(
  database: Database,
  accountId: string,
  { fromMs, toMs }: MetricsWindow,
): Promise<number[]> {
  const rows = await database
    .selectFrom('usage_dirty_hours')
    .select('hour')
    .where('account_id', '=', accountId)
    .where('hour', '>', new Date(fromMs - hourMs))
    .where('hour', '<', new Date(toMs))
    .orderBy('hour')
    .execute();
  return rows.map(({ hour }) => hour.getTime());
}
