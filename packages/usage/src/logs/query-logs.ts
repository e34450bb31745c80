// Log lines and counts of workloads in a time window. Every query is limited to one workspace.
import { type LogSeverity, severityNumbers } from '@berth/contract';
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';

export interface LogQuery {
  readonly workspaceId: string;
  readonly resourceTypes: readonly string[];
  /** Absent: the workloads that have lines on the page, without buckets. */
  readonly workloads?: readonly string[] | undefined;
  /** Absent: lines of all executions, and lines that belong to none. */
  readonly executionIds?: readonly string[] | undefined;
  /** Index of a task. Absent: lines of all tasks, and lines that belong to none. */
  readonly task?: number | undefined;
  readonly from: Date;
  /** Exclusive end of the window. */
  readonly to: Date;
  /** Absent: all severities. */
  readonly severities?: readonly LogSeverity[] | undefined;
  /** Text that a line must contain, ignoring case. */
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
  /** Lines of the page, newest first. */
  readonly lines: readonly Omit<z.infer<typeof Line>, 'workload'>[];
  /** Number of all matching lines. */
  readonly total: number;
  /** Buckets that hold lines, oldest first; `start` is in seconds since 1970. */
  readonly buckets: readonly Omit<z.infer<typeof Bucket>, 'workload'>[];
}

const counts = Object.keys(severityNumbers).map((name) => `countIf(severity = '${name}') AS ${name.toLowerCase()}`);

/**
 * Duplicates of a line are in the same partition, since their time is the same, so FINAL may handle each day by itself.
 * They also have the same execution, so the index of executions finds all of them or none.
 */
const settings = {
  do_not_merge_across_partitions_select_final: 1,
  use_skip_indexes_if_final: 1,
  max_execution_time: 20,
} as const;

const conditions = ({ workloads, executionIds, task, severities, search }: LogQuery): string =>
  [
    'workspace_id = {workspaceId:UUID}',
    'resource_type IN {resourceTypes:Array(String)}',
    ...(workloads === undefined ? [] : ['workload IN {workloads:Array(String)}']),
    ...(executionIds === undefined ? [] : ['execution_id IN {executionIds:Array(UUID)}']),
    ...(task === undefined ? [] : ['task = {task:Int32}']),
    `time >= {from:DateTime64(3, 'UTC')}`,
    `time < {to:DateTime64(3, 'UTC')}`,
    ...(severities === undefined ? [] : ['toInt8(logs.severity) IN {severities:Array(Int8)}']),
    ...(search === undefined ? [] : ['positionCaseInsensitiveUTF8(text, {search:String}) > 0']),
  ].join(' AND ');

async function ask<T extends z.ZodType>(client: ClickHouseClient, query: LogQuery, sql: string, row: T) {
  const { workloads = [], executionIds = [], task = -1, severities = [], search = '' } = query;
  const numbers = severities.map((name) => severityNumbers[name]);
  const answer = await client.query({
    query: sql,
    query_params: { ...query, workloads, executionIds, task, severities: numbers, search },
    format: 'JSONEachRow',
    clickhouse_settings: settings,
  });
  return z.array(row).parse(await answer.json());
}

const askLines = (client: ClickHouseClient, query: LogQuery) =>
  ask(
    client,
    query,
    `SELECT workload, toString(time) AS at, toInt8(logs.severity) AS severity, text
      FROM logs FINAL WHERE ${conditions(query)}
      ORDER BY time DESC, instance_id DESC, sequence DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
    Line,
  );

const askBuckets = (client: ClickHouseClient, query: LogQuery) =>
  ask(
    client,
    query,
    `SELECT workload, intDiv(toUnixTimestamp(time), {intervalSeconds:UInt32}) * {intervalSeconds:UInt32} AS start,
      count() AS count, ${counts.join(', ')}
      FROM logs FINAL WHERE ${conditions(query)} GROUP BY workload, start ORDER BY start`,
    Bucket,
  );

/** Longer than any window, so that all lines fall into one bucket. */
const oneBucketSeconds = 2 ** 32 - 1;

export async function queryLogs(client: ClickHouseClient, query: LogQuery): Promise<ReadonlyMap<string, WorkloadLogs>> {
  if (query.workloads !== undefined) {
    const [lines, buckets] = await Promise.all([askLines(client, query), askBuckets(client, query)]);
    return byWorkload(query.workloads, lines, buckets);
  }
  const lines = await askLines(client, query);
  const workloads = [...new Set(lines.map(({ workload }) => workload))];
  const totals = await askBuckets(client, { ...query, workloads, intervalSeconds: oneBucketSeconds });
  const found = byWorkload(workloads, lines, totals);
  return new Map([...found].map(([workload, logs]) => [workload, { ...logs, buckets: [] }]));
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
