// What closed hours say about whole months. Open hours and intervals are not read: a statement is made of closed hours.
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import type { Period } from '../ledger/split-at-hours.ts';

/** Begins and ends with a month. */
export interface UsageSumsQuery extends Period {
  readonly accountId: string;
}

const Row = z.object({
  /** As 2026-11. */
  month: z.string(),
  workspaceId: z.string(),
  workspace: z.string(),
  billingDimension: z.string(),
  micro: z.coerce.bigint(),
  pico: z.coerce.bigint(),
});

/** Usage in 10⁻⁶ units and cost in 10⁻¹² USD of a month, workspace and dimension. */
export type UsageSum = z.infer<typeof Row>;

export async function querySums(
  client: ClickHouseClient,
  { accountId, fromMs, toMs }: UsageSumsQuery,
): Promise<UsageSum[]> {
  const answer = await client.query({
    query: `
      SELECT formatDateTime(toStartOfMonth(hour), '%Y-%m') AS month, workspace_id AS workspaceId,
        any(usage_hours.workspace) AS workspace, dimension AS billingDimension,
        toString(sum(toInt128(usage_hours.micro))) AS micro, toString(sum(toInt128(usage_hours.pico))) AS pico
      FROM usage_hours FINAL
      WHERE account_id = {accountId:UUID} AND hour >= {from:DateTime('UTC')} AND hour < {to:DateTime('UTC')}
      GROUP BY month, workspaceId, billingDimension`,
    query_params: { accountId, from: new Date(fromMs), to: new Date(toMs) },
    format: 'JSONEachRow',
    clickhouse_settings: { do_not_merge_across_partitions_select_final: 1, max_execution_time: 20 },
  });
  return z.array(Row).parse(await answer.json());
}
