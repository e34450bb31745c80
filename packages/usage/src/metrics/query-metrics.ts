// Sums of a window: groups in pages, buckets of each, and the total, from one statement. Every figure of an answer comes
// from the same rows, so groups and buckets add up to the total.
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { type GroupColumn, groupColumns } from './group-columns.ts';
import type { MetricsBucket, MetricsGroupSums, MetricsPage, MetricsQuery } from './metrics-query.ts';
import { metricsStatement } from './metrics-statement.ts';
import { splitWindow } from './split-window.ts';
import { windowParameters, windowRows } from './window-rows.ts';

const settings = {
  // The hour is part of the sorting key, so FINAL may handle each month by itself.
  do_not_merge_across_partitions_select_final: 1,
  // Rows that arrive while a statement reads a table twice are in both readings, or in none.
  enable_shared_storage_snapshot_in_query: 1,
  // Numbers of 64 bits come as text: numbers of JavaScript have 53.
  output_format_json_quote_64bit_integers: 1,
  max_execution_time: 20,
  // Larger groupings continue on disk.
  max_bytes_before_external_group_by: '2000000000',
} as const;

const Sum = z.coerce.bigint();
const Group = z.object({
  key: z.array(z.string()),
  workspace: z.string(),
  micro: Sum,
  pico: Sum,
  totalMicro: Sum,
  totalPico: Sum,
  isLater: z.coerce.boolean(),
  buckets: z.array(z.tuple([z.number(), Sum, Sum])),
});
type Group = z.infer<typeof Group>;

export async function queryMetrics(client: ClickHouseClient, query: MetricsQuery): Promise<MetricsPage> {
  const { groupBy, resolution, limit, after } = query;
  const columns = groupColumns(groupBy);
  const parts = splitWindow(query, query.dirtyHoursMs);
  const rows = windowRows(query, parts);
  if (rows === undefined) return pageWithout(columns);
  const answer = await client.query({
    query: metricsStatement(rows, columns, resolution, after !== undefined),
    // One more row than the page has, to know whether there is another page.
    query_params: { ...windowParameters(query, parts), rows: limit + 1, afterPico: after?.pico, afterKey: after?.key },
    format: 'JSONEachRow',
    clickhouse_settings: settings,
  });
  const found = z.array(Group).parse(await answer.json());
  const later = found.filter(({ isLater }) => isLater);
  const groups = later.slice(0, limit).map((group) => render(group, columns, query.fromMs));
  const last = groups.at(-1);
  return {
    total: { micro: found[0]?.totalMicro ?? 0n, pico: found[0]?.totalPico ?? 0n },
    groups,
    hasMore: later.length > groups.length,
    last: last && { pico: last.pico, key: last.key },
  };
}

/** Of a window in which nothing can be stored. */
function pageWithout(columns: readonly GroupColumn[]): MetricsPage {
  const nothing = { micro: 0n, pico: 0n };
  const groups = columns.length === 0 ? [{ ...nothing, key: [], buckets: [] }] : [];
  return { total: nothing, groups, hasMore: false };
}

function render({ key, workspace, micro, pico, buckets }: Group, columns: readonly GroupColumn[], fromMs: number) {
  const fieldOf = (column: GroupColumn): string | undefined => key[columns.indexOf(column)];
  return {
    workspace: columns.includes('workspace_id') ? workspace : undefined,
    resourceType: fieldOf('resource_type'),
    resourceName: fieldOf('resource_name'),
    resourceUuid: fieldOf('resource_uid'),
    billingDimension: fieldOf('dimension'),
    ...{ key, micro, pico },
    buckets: addBuckets(buckets, fromMs),
  } satisfies MetricsGroupSums;
}

/** Oldest first. The window cuts the first bucket, so that begins with it. */
function addBuckets(rows: Group['buckets'], fromMs: number): MetricsBucket[] {
  const rowsOf = Map.groupBy(rows, ([seconds]) => Math.max(seconds * 1_000, fromMs));
  return [...rowsOf]
    .map(([startMs, same]) => ({
      startMs,
      micro: same.reduce((sum, [, micro]) => sum + micro, 0n),
      pico: same.reduce((sum, [, , pico]) => sum + pico, 0n),
    }))
    .toSorted((left, right) => left.startMs - right.startMs);
}
