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

type Columns = readonly GroupColumn[];

const groupBy = (columns: readonly string[]): string => (columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')}`);

const keyOf = (columns: Columns): string =>
  columns.length === 0 ? 'emptyArrayString()' : `[${columns.map((name) => `toString(${name})`).join(', ')}]`;

const groupSums = (micro: string, pico: string): string => `${sumOf(micro)} AS groupMicro, ${sumOf(pico)} AS groupPico`;

/** Without columns there is one group, also where the window has no rows. */
function groupsWithBuckets(rows: string, columns: Columns, resolution: MetricsResolution): string {
  const bucket = [...columns, `${bucketOf[resolution]} AS bucket`].join(', ');
  const label = columns.includes('workspace_id') ? 'any(label)' : `''`;
  return `
    SELECT ${keyOf(columns)} AS key, any(label) AS label, ${groupSums('bucketMicro', 'bucketPico')},
      groupArray((toUnixTimestamp(toDateTime(bucket, 'UTC')), bucketMicro, bucketPico)) AS buckets
    FROM (
      SELECT ${bucket}, ${label} AS label, ${sumOf('micro')} AS bucketMicro, ${sumOf('pico')} AS bucketPico
      FROM (${rows}) ${groupBy([...columns, 'bucket'])}
    )
    ${groupBy(columns)}`;
}

const totals = 'sum(groupMicro) OVER () AS totalMicro, sum(groupPico) OVER () AS totalPico';

/** Groups after the position come first, and the total is in every row, so it is known where no group is left. */
function ranked(selected: string, groups: string, hasPosition: boolean): string {
  const isLater = hasPosition
    ? 'pico < {afterPico:Int128} OR pico = {afterPico:Int128} AND key > {afterKey:Array(String)}'
    : 'true';
  return `
    SELECT key, groupMicro AS micro, groupPico AS pico, ${isLater} AS isLater, ${selected}
    FROM (${groups}) ORDER BY isLater DESC, pico DESC, key LIMIT {rows:UInt32}`;
}

/**
 * Resources are many, and adding up the buckets of all of them costs more than reading the rows twice: first the groups of
 * the page and the total, then the buckets of these groups alone. Both see the same rows, because all parts of a statement
 * share one snapshot of a table (`enable_shared_storage_snapshot_in_query`). A group and its buckets are summed from the same
 * reading, so they agree in any case.
 */
export function metricsStatement(
  rows: string,
  columns: Columns,
  resolution: MetricsResolution,
  hasPosition: boolean,
): string {
  const shown = 'label AS workspace, buckets';
  if (!columns.includes('resource_name'))
    return ranked(`${shown}, ${totals}`, groupsWithBuckets(rows, columns, resolution), hasPosition);
  const names = columns.join(', ');
  // A set of one column is much cheaper to look up, and leaves few rows for the set of all columns.
  const first = columns.includes('resource_uid') ? 'resource_uid' : 'resource_name';
  const groups = `SELECT ${names}, ${keyOf(columns)} AS key, ${groupSums('micro', 'pico')} FROM (${rows}) ${groupBy(columns)}`;
  const ofPage = `${first} IN (SELECT arrayJoin(page.2)) AND (${names}) IN (SELECT arrayJoin(page.1))`;
  return `
    WITH (
      SELECT (groupArray((${names})), groupArray(${first}), any(totalMicro), any(totalPico))
      FROM (${ranked(`${names}, ${totals}`, groups, hasPosition)})
    ) AS page
    ${ranked(
      `${shown}, page.3 AS totalMicro, page.4 AS totalPico`,
      groupsWithBuckets(`SELECT * FROM (${rows}) WHERE ${ofPage}`, columns, resolution),
      hasPosition,
    )}`;
}
