// A year of hours of one account, made inside ClickHouse: in the ledger's tables, and as a plain copy.

import { uuidv7 } from '@berth/database';
import type { ClickHouseClient } from '@clickhouse/client';
import type { TestUsage } from '../../packages/usage/test/start-usage.ts';

export const yearStartMs = Date.UTC(2027, 0, 1);
export const yearEndMs = Date.UTC(2028, 0, 1);
/** The last hour also has intervals, as a running hour does. */
export const lastHourMs = yearEndMs - 3_600_000;
const hoursOfYear = (yearEndMs - yearStartMs) / 3_600_000;

const dimensions = [
  'sandbox_compute_runtime_gbs',
  'sandbox_image_storage_gbs',
  'sandbox_snapshot_storage_gbs',
] as const;
export const prices = dimensions.map((dimension) => ({ dimension, fromMs: 0, attoUsd: 11_500_000_000_000n }));

const workspaces = 60;
/** Resources have the numbers from 0. */
const resourceColumns = `{accountId:UUID} AS account_id, reinterpretAsUUID(toUInt128(resource % ${workspaces}) + 1) AS workspace_id,
  concat('workspace-', toString(resource % ${workspaces})) AS workspace, 'sandbox' AS resource_type,
  concat('sandbox-of-a-team-', toString(resource)) AS resource_name, reinterpretAsUUID(sipHash128(resource)) AS resource_uid,
  arrayElement({dimensions:Array(String)}, number % 3 + 1) AS dimension`;
const names = 'account_id, workspace_id, workspace, resource_type, resource_name, resource_uid, dimension';
const hours = `usage_hours (${names}, hour, micro, pico, version)`;
const intervals = `usage_intervals (${names}, source, hour, from, to, rate, version)`;

export async function seedHours(client: ClickHouseClient, usage: TestUsage['usage'], count: number) {
  const accountId = uuidv7();
  const perHour = Math.floor(count / hoursOfYear / dimensions.length) * dimensions.length;
  const numbers = (hoursOfPart: number): string =>
    `(SELECT number, intDiv(number % ${perHour}, 3) AS resource FROM numbers(${hoursOfPart * perHour}))`;
  // A month at a time, since ClickHouse sorts an insert in memory.
  for (let month = 0; month < 12; month += 1) {
    const [startMs, endMs] = [Date.UTC(2027, month), Math.min(Date.UTC(2027, month + 1), lastHourMs)];
    await client.command({
      query: `INSERT INTO ${hours}
        SELECT ${resourceColumns}, {start:DateTime('UTC')} + 3600 * intDiv(number, ${perHour}),
          cityHash64(number) % 14400000000 AS used, intDiv(used * 23, 2), 1
        FROM ${numbers((endMs - startMs) / 3_600_000)}`,
      query_params: { accountId, dimensions, start: new Date(startMs) },
    });
  }
  // Some hours of each month were closed twice.
  await client.command({
    query: `INSERT INTO ${hours} SELECT ${names}, hour, micro, pico, 2 FROM usage_hours
      WHERE toHour(hour) = 7 AND toDayOfMonth(hour) % 4 = 0`,
  });
  await client.command({
    query: `INSERT INTO ${intervals} SELECT ${resourceColumns}, resource_uid, {hour:DateTime('UTC')},
        {hour:DateTime('UTC')}, {hour:DateTime('UTC')} + 3600, 4194304, 1 FROM ${numbers(1)}`,
    query_params: { accountId, dimensions, hour: new Date(lastHourMs) },
  });
  await usage.ledger.closeHour({ accountId, hourMs: lastHourMs, prices, version: 1 });
  await mergeMonthsThatAreOver(client);
  await client.command({
    query: `CREATE TABLE plain_hours ENGINE = MergeTree PARTITION BY toYYYYMM(hour)
      ORDER BY (account_id, hour, dimension, workspace_id, resource_type, resource_uid, resource_name)
      AS SELECT * FROM usage_hours FINAL`,
    clickhouse_settings: { do_not_merge_across_partitions_select_final: 1 },
  });
  return { accountId, ...(await sizeOf(client)) };
}

/** As the table's own settings do a day later. The last month stays as it was inserted. */
async function mergeMonthsThatAreOver(client: ClickHouseClient): Promise<void> {
  for (let month = 1; month < 12; month += 1)
    await client.command({ query: `OPTIMIZE TABLE usage_hours PARTITION ${202_700 + month} FINAL` });
}

async function sizeOf(client: ClickHouseClient) {
  const answer = await client.query({
    query: `SELECT toUInt32(sum(rows)) AS rows, toUInt32(count()) AS parts FROM system.parts
      WHERE active AND database = currentDatabase() AND table = 'usage_hours'`,
    format: 'JSONEachRow',
  });
  const [size] = await answer.json<{ rows: number; parts: number }>();
  return { rows: size?.rows ?? 0, parts: size?.parts ?? 0 };
}
