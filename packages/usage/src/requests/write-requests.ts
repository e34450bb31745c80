import type { ClickHouseClient } from '@clickhouse/client';
import type { RequestRow } from './request-row.ts';

/** Resolves once the rows are stored. */
export async function writeRequests(client: ClickHouseClient, rows: readonly RequestRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.insert({ table: 'request_minutes', values: rows.map(toColumns), format: 'JSONEachRow' });
}

const toColumns = (row: RequestRow) => ({
  workspace_id: row.workspaceId,
  resource_type: row.resourceType,
  resource_uid: row.resourceUid,
  workload: row.workload,
  minute: row.minuteMs / 1_000,
  gateway: row.gateway,
  requests: row.requests,
  client_errors: row.clientErrors,
  server_errors: row.serverErrors,
  bytes_in: row.bytesIn,
  bytes_out: row.bytesOut,
  durations: row.durations,
  first_bytes: row.firstBytes,
  version: row.requests,
});
