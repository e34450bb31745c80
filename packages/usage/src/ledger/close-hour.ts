import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { billedHours, billingParameters } from './billed-hours.ts';
import type { PriceStep } from './ledger-row.ts';
import { hourMs as lengthMs } from './split-at-hours.ts';

export interface HourToClose {
  readonly accountId: string;
  /** Begin of the hour. */
  readonly hourMs: number;
  readonly prices: readonly PriceStep[];
  /** A close with a higher version replaces one with a lower. */
  readonly version: number;
}

const Totals = z.tuple([z.object({ rows: z.coerce.number(), micro: z.coerce.bigint(), pico: z.coerce.bigint() })]);

/** Totals of the account's hour: usage in 10⁻⁶ units of all dimensions together, and cost in 10⁻¹² USD. */
export type ClosedHour = z.infer<typeof Totals>[0];

/**
 * Stores usage and cost of an hour, one row for each resource and dimension, and resolves with what is stored then. Rows of
 * an interval never change their resource, so a later close has every row of an earlier one.
 */
export async function closeHour(
  client: ClickHouseClient,
  { accountId, hourMs, prices, version }: HourToClose,
): Promise<ClosedHour> {
  const period = { fromMs: hourMs, toMs: hourMs + lengthMs };
  await client.command({
    query: `INSERT INTO usage_hours (account_id, workspace_id, workspace, resource_type, resource_name, resource_uid,
        dimension, hour, micro, pico, version)
      SELECT {accountId:UUID}, workspace_id, label, resource_type, resource_name, resource_uid, dimension, hour, micro,
        pico, {version:UInt64}
      FROM (${billedHours(`hour = {hour:DateTime('UTC')}`)})`,
    query_params: { accountId, hour: new Date(hourMs), version, ...billingParameters(period, prices) },
    clickhouse_settings: { do_not_merge_across_partitions_select_final: 1 },
  });
  const answer = await client.query({
    query: `SELECT count() AS rows, toString(sum(toInt128(micro))) AS micro, toString(sum(toInt128(pico))) AS pico
      FROM usage_hours FINAL WHERE account_id = {accountId:UUID} AND hour = {hour:DateTime('UTC')}`,
    query_params: { accountId, hour: new Date(hourMs) },
    format: 'JSONEachRow',
  });
  return Totals.parse(await answer.json())[0];
}
