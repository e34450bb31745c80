import type { Database } from '@berth/database';
import { monthPeriod } from '@berth/usage';

/** What models cost in a month so far, in 10⁻¹² USD, by the id of the budget that counts it. Gateways write it within a second. */
export async function loadModelCosts(
  database: Database,
  budgetIds: readonly string[],
  month: string,
): Promise<ReadonlyMap<string, bigint>> {
  if (budgetIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('limit_windows')
    .select(({ fn }) => ['subject', fn.sum<string>('nano_usd').as('nano')])
    .where('subject', 'in', budgetIds)
    .where('window_start', '=', new Date(monthPeriod(month).fromMs))
    .groupBy('subject')
    .execute();
  return new Map(rows.map(({ subject, nano }) => [subject, BigInt(nano) * 1_000n]));
}
