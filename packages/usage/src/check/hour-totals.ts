// Totals of each hour of an account: as it was closed, and as its rows give it now.
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { billedHours, billingParameters } from '../ledger/billed-hours.ts';
import type { PriceStep } from '../ledger/ledger-row.ts';
import type { Period } from '../ledger/split-at-hours.ts';

export interface Totals {
  readonly micro: bigint;
  readonly pico: bigint;
}

export interface HourTotals {
  readonly hourMs: number;
  readonly closed: Totals;
  readonly rows: Totals;
}

const Row = z.object({
  seconds: z.coerce.number(),
  closedMicro: z.coerce.bigint(),
  closedPico: z.coerce.bigint(),
  rowsMicro: z.coerce.bigint(),
  rowsPico: z.coerce.bigint(),
});

const inWindow = `hour >= {fromHour:DateTime('UTC')} AND hour < {toHour:DateTime('UTC')}`;

export interface HourTotalsQuery {
  readonly accountId: string;
  readonly period: Period;
  readonly prices: readonly PriceStep[];
}

export async function hourTotals(
  client: ClickHouseClient,
  { accountId, period, prices }: HourTotalsQuery,
): Promise<HourTotals[]> {
  const answer = await client.query({
    query: `
      SELECT toUnixTimestamp(hour) AS seconds,
        toString(sum(closedMicro)) AS closedMicro, toString(sum(closedPico)) AS closedPico,
        toString(sum(rowsMicro)) AS rowsMicro, toString(sum(rowsPico)) AS rowsPico
      FROM (
        SELECT hour, toInt128(micro) AS closedMicro, toInt128(pico) AS closedPico, toInt128(0) AS rowsMicro,
          toInt128(0) AS rowsPico
        FROM usage_hours FINAL WHERE account_id = {accountId:UUID} AND ${inWindow}
        UNION ALL
        SELECT hour, toInt128(0), toInt128(0), toInt128(micro), toInt128(pico) FROM (${billedHours(inWindow)})
      )
      GROUP BY hour ORDER BY hour`,
    query_params: {
      accountId,
      fromHour: new Date(period.fromMs),
      toHour: new Date(period.toMs),
      ...billingParameters(period, prices),
    },
    format: 'JSONEachRow',
    clickhouse_settings: { do_not_merge_across_partitions_select_final: 1, max_execution_time: 300 },
  });
  return z
    .array(Row)
    .parse(await answer.json())
    .map(({ seconds, closedMicro, closedPico, rowsMicro, rowsPico }) => ({
      hourMs: seconds * 1_000,
      closed: { micro: closedMicro, pico: closedPico },
      rows: { micro: rowsMicro, pico: rowsPico },
    }));
}
