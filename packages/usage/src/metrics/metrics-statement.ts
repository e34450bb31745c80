// The statement that sums the rows of a window by group and bucket.
import type { MetricsResolution } from '@berth/contract';
import type { GroupColumn } from './group-columns.ts';

const bucketOf: Readonly<Record<MetricsResolution, string>> = {
  hourly: 'hour',
  daily: 'toStartOfDay(hour)',
  weekly: 'toMonday(hour)',
  monthly: 'toStartOfMonth(hour)',
};

/** Sums have 128 bits: those of 64 end at nine million USD. */
const sumOf = (column: string): string => `sum(toInt128(${column}))`;

/** Rows with the bucket that they belong to. A bucket of a group has one row, or several. */
function bucketRows(rows: string, columns: readonly GroupColumn[], resolution: MetricsResolution): string {
  const bucket = [...columns, `${bucketOf[resolution]} AS bucket`].join(', ');
  // Hours of resources are nearly as many as rows, so adding up all before the page is chosen costs more than it saves.
  if (resolution === 'hourly' && columns.includes('resource_name'))
    return `SELECT ${bucket}, label, micro AS bucketMicro, pico AS bucketPico FROM (${rows})`;
  const label = columns.includes('workspace_id') ? 'any(label)' : `''`;
  return `
    SELECT ${bucket}, ${label} AS label, ${sumOf('micro')} AS bucketMicro, ${sumOf('pico')} AS bucketPico
    FROM (${rows}) GROUP BY ${[...columns, 'bucket'].join(', ')}`;
}

/**
 * Groups after the position come first, and the total is in every row, so it is known where no group is left. Without
 * columns there is one row, also where the window has none.
 */
export function metricsStatement(
  rows: string,
  columns: readonly GroupColumn[],
  resolution: MetricsResolution,
  hasPosition: boolean,
): string {
  const key =
    columns.length === 0 ? 'emptyArrayString()' : `[${columns.map((name) => `toString(${name})`).join(', ')}]`;
  const isLater = hasPosition
    ? 'pico < {afterPico:Int128} OR pico = {afterPico:Int128} AND key > {afterKey:Array(String)}'
    : 'true';
  return `
    SELECT key, label AS workspace, groupMicro AS micro, groupPico AS pico, buckets, ${isLater} AS isLater,
      sum(groupMicro) OVER () AS totalMicro, sum(groupPico) OVER () AS totalPico
    FROM (
      SELECT ${key} AS key, any(label) AS label, ${sumOf('bucketMicro')} AS groupMicro, ${sumOf('bucketPico')} AS groupPico,
        groupArray((toUnixTimestamp(toDateTime(bucket, 'UTC')), bucketMicro, bucketPico)) AS buckets
      FROM (${bucketRows(rows, columns, resolution)})
      ${columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')}`}
    )
    ORDER BY isLater DESC, pico DESC, key LIMIT {rows:UInt32}`;
}
