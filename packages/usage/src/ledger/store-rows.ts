// Stores rows of the ledger and marks their hours as dirty, so that they are closed again.
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import type { LedgerRow } from './ledger-row.ts';
import { startOfHour } from './split-at-hours.ts';

interface Ledger {
  write(rows: readonly LedgerRow[]): Promise<void>;
}

/** Resolves once the rows are stored. The same rows may be stored any number of times. */
export async function storeRows(database: Database, ledger: Ledger, rows: readonly LedgerRow[]): Promise<void> {
  if (rows.length === 0) return;
  // First: where this process ends in between, an hour is closed once more than needed.
  await markDirty(database, rows);
  await ledger.write(rows);
  // An hour that is over may have been closed after its mark and before its rows were there.
  const now = startOfHour(Date.now());
  await markDirty(
    database,
    rows.filter(({ fromMs }) => startOfHour(fromMs) < now),
  );
}

/** Sorted, so that two writers take the same rows in the same order. */
async function markDirty(database: Database, rows: readonly LedgerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const hours = Map.groupBy(rows, ({ accountId, fromMs }) => `${accountId} ${startOfHour(fromMs)}`);
  const marked = [...hours.keys()].toSorted().map((key) => key.split(' '));
  await sql`
    insert into usage_dirty_hours as known (account_id, hour)
    select account_id, to_timestamp(hour_ms / 1000.0)
    from unnest(${marked.map(([account]) => account)}::uuid[], ${marked.map(([, hour]) => hour)}::bigint[])
      as marked (account_id, hour_ms)
    on conflict (account_id, hour) do update set marks = known.marks + 1`.execute(database);
}
