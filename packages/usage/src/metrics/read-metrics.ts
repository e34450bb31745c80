// A query with what it needs of PostgreSQL: which hours are dirty, and the prices of the account.
import type { Database } from '@berth/database';
import { hourMs } from '../ledger/split-at-hours.ts';
import type { Usage } from '../open-usage.ts';
import { loadPrices } from '../prices/load-prices.ts';
import type { MetricsPage, MetricsQuery } from './metrics-query.ts';

/**
 * Dirty hours are read before the ledger: an hour that is closed in between has the same usage in both.
 */
export async function readMetrics(
  database: Database,
  metrics: Pick<Usage['metrics'], 'query'>,
  query: Omit<MetricsQuery, 'dirtyHoursMs' | 'prices'>,
): Promise<MetricsPage> {
  const dirtyHoursMs = await readDirtyHours(database, query);
  const prices = await loadPrices(database, query.accountId);
  return metrics.query({ ...query, dirtyHoursMs, prices });
}

/** Begins of the hours of the window whose closed rows may lack usage. */
async function readDirtyHours(
  database: Database,
  { accountId, fromMs, toMs }: Pick<MetricsQuery, 'accountId' | 'fromMs' | 'toMs'>,
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
