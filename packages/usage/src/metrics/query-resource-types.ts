import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { startOfHour } from '../ledger/split-at-hours.ts';
import type { MetricsQuery } from './metrics-query.ts';
import { splitWindow } from './split-window.ts';

export type ResourceTypesQuery = Pick<MetricsQuery, 'accountId' | 'workspaceIds' | 'fromMs' | 'toMs'>;

const Row = z.object({ type: z.string() });

/**
 * Types of resources with usage in the window, sorted. Hours and intervals are both read, since any hour may be dirty.
 * Neither needs FINAL: a row and the row that replaces it name the same type.
 */
export async function queryResourceTypes(client: ClickHouseClient, query: ResourceTypesQuery): Promise<string[]> {
  const { accountId, workspaceIds } = query;
  const { window, full } = splitWindow(query, []);
  if (window.fromMs >= window.toMs) return [];
  const own = [
    'account_id = {accountId:UUID}',
    ...(workspaceIds ? ['workspace_id IN {workspaceIds:Array(UUID)}'] : []),
  ];
  const answer = await client.query({
    query: `
      SELECT resource_type AS type FROM usage_hours
      WHERE ${own.join(' AND ')} AND hour >= {fullFrom:DateTime('UTC')} AND hour < {fullTo:DateTime('UTC')}
      UNION DISTINCT
      SELECT resource_type AS type FROM usage_intervals
      WHERE ${own.join(' AND ')} AND hour >= {firstHour:DateTime('UTC')} AND hour < {to:DateTime64(3, 'UTC')}
        AND \`from\` < {to:DateTime64(3, 'UTC')}
        AND if(amount > 0, \`from\` >= {from:DateTime64(3, 'UTC')}, \`to\` > greatest(\`from\`, {from:DateTime64(3, 'UTC')}))`,
    query_params: {
      ...{ accountId, workspaceIds: workspaceIds ?? [] },
      ...{ from: new Date(window.fromMs), to: new Date(window.toMs), firstHour: new Date(startOfHour(window.fromMs)) },
      ...{ fullFrom: new Date(full.fromMs), fullTo: new Date(full.toMs) },
    },
    format: 'JSONEachRow',
    clickhouse_settings: { max_execution_time: 20 },
  });
  return z
    .array(Row)
    .parse(await answer.json())
    .map(({ type }) => type)
    .toSorted();
}
