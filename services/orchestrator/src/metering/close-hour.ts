// Closes one hour of an account, and keeps its totals in PostgreSQL, where a loss in ClickHouse shows.
import { type Database, databaseClock } from '@berth/database';
import { loadPrices, type Usage } from '@berth/usage';
import { sql } from 'kysely';
import type { DirtyHour } from './claim-dirty-hours.ts';

export async function closeHour(
  database: Database,
  usage: Usage,
  { accountId, hour, marks }: DirtyHour,
): Promise<void> {
  const [prices, version] = await Promise.all([loadPrices(database, accountId), databaseClock(database)]);
  const { micro, pico } = await usage.ledger.closeHour({ accountId, hourMs: hour.getTime(), prices, version });
  // The mark stays where rows came meanwhile: then the hour is closed again. Usage of an hour only grows, so totals with less of
  // it come from a close that was overtaken, or from a ClickHouse that lost rows.
  await sql`
    with closed as (
      delete from usage_dirty_hours where account_id = ${accountId} and hour = ${hour} and marks = ${marks}::bigint
    ), released as (
      update usage_dirty_hours set claimed_until = '-infinity'
      where account_id = ${accountId} and hour = ${hour} and marks <> ${marks}::bigint
    )
    insert into usage_closed_hours as known (account_id, hour, micro, pico)
    values (${accountId}, ${hour}, ${String(micro)}::numeric, ${String(pico)}::numeric)
    on conflict (account_id, hour) do update set
      micro = greatest(known.micro, excluded.micro),
      pico = case when excluded.micro < known.micro then known.pico else excluded.pico end,
      closings = known.closings + 1, closed_at = clock_timestamp()`.execute(database);
}
