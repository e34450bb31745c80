import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import type { Period } from '../ledger/split-at-hours.ts';
import type { Finding } from './finding.ts';
import { rowChecks } from './row-checks.ts';

const Row = z.object({ account: z.string(), seconds: z.coerce.number(), detail: z.string() });

/** Faults of a kind that are named; more of them add nothing for a person. */
const maxOfEach = 20;

/** `period` begins and ends at full hours. */
export async function findFaultyRows(client: ClickHouseClient, period: Period, nowMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, sql } of rowChecks) {
    const answer = await client.query({
      query: `${sql} LIMIT ${maxOfEach}`,
      query_params: { fromHour: new Date(period.fromMs), toHour: new Date(period.toMs), nowMs },
      format: 'JSONEachRow',
      clickhouse_settings: { do_not_merge_across_partitions_select_final: 1, max_execution_time: 300 },
    });
    const rows = z.array(Row).parse(await answer.json());
    findings.push(
      ...rows.map(({ account, seconds, detail }) => ({
        check: name,
        accountId: account,
        hourMs: seconds * 1_000,
        detail,
      })),
    );
  }
  return findings;
}
