import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import type { Period } from '../ledger/split-at-hours.ts';

const inWindow = `hour >= {fromHour:DateTime('UTC')} AND hour < {toHour:DateTime('UTC')}`;

/** Accounts with rows or closed hours in the period, whether they exist or not. */
export async function findAccounts(client: ClickHouseClient, { fromMs, toMs }: Period): Promise<string[]> {
  const answer = await client.query({
    query: `SELECT account_id AS account FROM usage_intervals WHERE ${inWindow}
      UNION DISTINCT SELECT account_id AS account FROM usage_hours WHERE ${inWindow}`,
    query_params: { fromHour: new Date(fromMs), toHour: new Date(toMs) },
    format: 'JSONEachRow',
  });
  return z
    .array(z.object({ account: z.string() }))
    .parse(await answer.json())
    .map(({ account }) => account);
}
