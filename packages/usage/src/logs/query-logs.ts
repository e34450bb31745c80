// Lines and counts of some workloads in a window of time. Always within one workspace.
import { type LogSeverity, severityNumbers } from '@berth/contract';
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';

export interface LogQuery {
  readonly workspaceId: string;
  readonly resourceType: string;
  readonly workloads: readonly string[];
  readonly from: Date;
  /** Not part of the window. */
  readonly to: Date;
  /** Absent: all of them. */
  readonly severities?: readonly LogSeverity[] | undefined;
  /** Text that a line holds, in any case. */
  readonly search?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly intervalSeconds: number;
}

const Line = z.object({ workload: z.string(), at: z.string(), severity: z.coerce.number(), text: z.string() });

const count = z.coerce.number();
const Bucket = z.object({
  workload: z.string(),
  start: count,
  count,
  debug: count,
  error: count,
  fatal: count,
  info: count,
  trace: count,
  unknown: count,
  warning: count,
});

export interface WorkloadLogs {
  /** Newest first; those of the page. */
  readonly lines: readonly Omit<z.infer<typeof Line>, 'workload'>[];
  /** Of all that match. */
  readonly total: number;
  /** Oldest first, with their start in seconds since 1970; those that hold lines. */
  readonly buckets: readonly Omit<z.infer<typeof Bucket>, 'workload'>[];
}

const counts = Object.keys(severityNumbers).map((name) => `countIf(severity = '${name}') AS ${name.toLowerCase()}`);

/** Lines sent twice stand in the same partition, since their time is the same: so each day is looked at by itself. */
const settings = { do_not_merge_across_partitions_select_final: 1, max_execution_time: 20 } as const;

const conditions = ({ severities, search }: LogQuery): string =>
  [
    'workspace_id = {workspaceId:UUID}',
    'resource_type = {resourceType:String}',
    'workload IN {workloads:Array(String)}',
    `time >= {from:DateTime64(3, 'UTC')}`,
    `time < {to:DateTime64(3, 'UTC')}`,
    ...(severities === undefined ? [] : ['toInt8(logs.severity) IN {severities:Array(Int8)}']),
    ...(search === undefined ? [] : ['positionCaseInsensitiveUTF8(text, {search:String}) > 0']),
  ].join(' AND ');

export async function queryLogs(client: ClickHouseClient, query: LogQuery): Promise<ReadonlyMap<string, WorkloadLogs>> {
  const { severities = [], search = '' } = query;
  const query_params = { ...query, search, severities: severities.map((name) => severityNumbers[name]) };
  const ask = async (sql: string): Promise<unknown> =>
    (await client.query({ query: sql, query_params, format: 'JSONEachRow', clickhouse_settings: settings })).json();
  const where = conditions(query);
  const [lines, buckets] = await Promise.all([
    ask(`SELECT workload, toString(time) AS at, toInt8(logs.severity) AS severity, text FROM logs FINAL WHERE ${where}
      ORDER BY time DESC, instance_id DESC, sequence DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32}`),
    ask(`SELECT workload, intDiv(toUnixTimestamp(time), {intervalSeconds:UInt32}) * {intervalSeconds:UInt32} AS start,
      count() AS count, ${counts.join(', ')}
      FROM logs FINAL WHERE ${where} GROUP BY workload, start ORDER BY start`),
  ]);
  return byWorkload(query.workloads, z.array(Line).parse(lines), z.array(Bucket).parse(buckets));
}

function byWorkload(
  workloads: readonly string[],
  lines: readonly z.infer<typeof Line>[],
  buckets: readonly z.infer<typeof Bucket>[],
): ReadonlyMap<string, WorkloadLogs> {
  const linesOf = Map.groupBy(lines, ({ workload }) => workload);
  const bucketsOf = Map.groupBy(buckets, ({ workload }) => workload);
  return new Map(
    workloads.map((workload) => {
      const held = bucketsOf.get(workload) ?? [];
      const total = held.reduce((sum, bucket) => sum + bucket.count, 0);
      return [workload, { lines: linesOf.get(workload) ?? [], total, buckets: held }];
    }),
  );
}
