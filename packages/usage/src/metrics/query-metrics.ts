// Sums of a window: groups in pages, buckets of each, and the total, from one statement. Every figure of an answer comes
// from the same rows, so groups and buckets add up to the total.
import type { MetricsResolution } from '@berth/contract';
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { type GroupColumn, groupColumns } from './group-columns.ts';
import type { MetricsBucket, MetricsGroupSums, MetricsPage, MetricsQuery } from './metrics-query.ts';
import { splitWindow } from './split-window.ts';
import { windowParameters, windowRows } from './window-rows.ts';

const bucketOf: Readonly<Record<MetricsResolution, string>> = {
  hourly: 'hour',
  daily: 'toStartOfDay(hour)',
  weekly: 'toMonday(hour)',
  monthly: 'toStartOfMonth(hour)',
};

const settings = {
  // The hour is part of the sorting key, so FINAL may handle each month by itself.
  do_not_merge_across_partitions_select_final: 1,
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

/**
 * The innermost sums are those of a bucket of a group. They have 128 bits: those of 64 end at nine million USD. Groups after
 * the position come first, and the total is in every row, so it is known where no group is left.
 */
function statement(rows: string, columns: readonly GroupColumn[], { resolution, after }: MetricsQuery): string {
  const label = columns.includes('workspace_id') ? 'any(label)' : `''`;
  const key =
    columns.length === 0 ? 'emptyArrayString()' : `[${columns.map((name) => `toString(${name})`).join(', ')}]`;
  const isLater =
    after === undefined
      ? 'true'
      : 'pico < {afterPico:Int128} OR pico = {afterPico:Int128} AND key > {afterKey:Array(String)}';
  return `
    SELECT key, label AS workspace, groupMicro AS micro, groupPico AS pico, buckets, ${isLater} AS isLater,
      sum(groupMicro) OVER () AS totalMicro, sum(groupPico) OVER () AS totalPico
    FROM (
      SELECT ${key} AS key, any(label) AS label, sum(bucketMicro) AS groupMicro, sum(bucketPico) AS groupPico,
        groupArray((toUnixTimestamp(toDateTime(bucket, 'UTC')), bucketMicro, bucketPico)) AS buckets
      FROM (
        SELECT ${[...columns, ''].join(', ')} ${bucketOf[resolution]} AS bucket, ${label} AS label,
          sum(toInt128(micro)) AS bucketMicro, sum(toInt128(pico)) AS bucketPico
        FROM (${rows})
        GROUP BY ${[...columns, 'bucket'].join(', ')}
      )
      ${columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')}`}
    )
    ORDER BY isLater DESC, pico DESC, key LIMIT {rows:UInt32}`;
}

export async function queryMetrics(client: ClickHouseClient, query: MetricsQuery): Promise<MetricsPage> {
  const { groupBy, limit, after } = query;
  const columns = groupColumns(groupBy);
  const parts = splitWindow(query, query.dirtyHoursMs);
  const rows = windowRows(query, parts);
  if (rows === undefined) return pageWithout(columns);
  const answer = await client.query({
    query: statement(rows, columns, query),
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
    buckets: buckets
      // The window cuts the first bucket.
      .map(
        ([seconds, ...sums]): MetricsBucket => ({
          startMs: Math.max(seconds * 1_000, fromMs),
          micro: sums[0],
          pico: sums[1],
        }),
      )
      .toSorted((left, right) => left.startMs - right.startMs),
  } satisfies MetricsGroupSums;
}
