import type { ClickHouseClient } from '@clickhouse/client';
import { batchInserts } from '../batch-inserts.ts';
import type { LedgerRow } from './ledger-row.ts';
import { startOfHour } from './split-at-hours.ts';

const batchLimits = { waitMs: 250, maxRows: 5_000 };

/** Resolves once the rows are stored. */
export function createLedgerWriter(client: ClickHouseClient): (rows: readonly LedgerRow[]) => Promise<void> {
  const store = batchInserts<LedgerRow>(async (rows) => {
    await client.insert({ table: 'usage_intervals', values: rows.map(toColumns), format: 'JSONEachRow' });
  }, batchLimits);
  return async (rows) => {
    if (rows.length > 0) await store(rows);
  };
}

const toColumns = (row: LedgerRow) => ({
  account_id: row.accountId,
  workspace_id: row.workspaceId,
  workspace: row.workspace,
  resource_type: row.resourceType,
  resource_name: row.resourceName,
  resource_uid: row.resourceUid,
  dimension: row.dimension,
  source: row.source,
  interval: row.interval,
  part: row.part,
  hour: startOfHour(row.fromMs) / 1_000,
  from: (row.fromMs / 1_000).toFixed(3),
  to: (row.toMs / 1_000).toFixed(3),
  rate: row.rate,
  amount: row.amount,
  version: row.toMs,
});
