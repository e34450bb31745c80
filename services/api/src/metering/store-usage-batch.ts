// Stores what a runner has metered: attributed, clipped and cut at hours.
import type { UsageBatch } from '@berth/contract/node';
import type { Database } from '@berth/database';
import { type LedgerRow, storeRows } from '@berth/usage';
import { sql } from 'kysely';
import type { Dependencies } from '../dependencies.ts';
import { withUsage } from '../logs/with-usage.ts';
import { type Absence, billInterval } from './bill-interval.ts';
import { loadBilledInstances } from './billed-instance.ts';

/**
 * Resolves once the ledger has the rows. Intervals of instances that are unknown, belong to another runner or have no owner
 * are acknowledged and not stored, and so are all in a deployment without ClickHouse: the runner would keep them for ever.
 */
export async function storeUsageBatch(
  { database, usage }: Pick<Dependencies, 'database' | 'usage'>,
  runnerId: string,
  { intervals, ended }: UsageBatch,
): Promise<{ readonly stored: number }> {
  const rows = usage === undefined ? [] : await billedRows(database, runnerId, intervals);
  if (rows.length > 0) await withUsage({ usage }, ({ ledger }) => storeRows(database, ledger, rows));
  if (ended.length > 0)
    await sql`
      update instances set metered_at = clock_timestamp()
      where runner_id = ${runnerId} and id = any(${ended}::uuid[]) and metered_at is null`.execute(database);
  return { stored: rows.length };
}

async function billedRows(
  database: Database,
  runnerId: string,
  intervals: UsageBatch['intervals'],
): Promise<LedgerRow[]> {
  if (intervals.length === 0) return [];
  const oldestMs = intervals.reduce((oldest, { fromMs }) => Math.min(oldest, fromMs), Number.POSITIVE_INFINITY);
  const [instances, absences] = await Promise.all([
    loadBilledInstances(database, runnerId, intervals),
    loadAbsences(database, runnerId, oldestMs),
  ]);
  return intervals.flatMap((interval) => {
    const instance = instances.get(interval.instance);
    if (instance === undefined) return [];
    const after = absences.filter(({ untilMs }) => untilMs === undefined || untilMs > interval.fromMs);
    return billInterval(interval, instance, after);
  });
}

async function loadAbsences(database: Database, runnerId: string, fromMs: number): Promise<Absence[]> {
  const rows = await database
    .selectFrom('runner_absences')
    .select(['since', 'until'])
    .where('runner_id', '=', runnerId)
    .where((where) => where.or([where('until', 'is', null), where('until', '>', new Date(fromMs))]))
    .orderBy('since')
    .execute();
  return rows.map(({ since, until }) => ({ sinceMs: since.getTime(), untilMs: until?.getTime() }));
}
