// Log lines and counts of workloads in a time window.
import { severityNumbers } from '@berth/contract';
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { filterConditions, filterParameters, type LogFilter, logSettings } from './log-filter.ts';

/** Without workloads: those that have lines on the page, without buckets. */
export interface LogQuery extends LogFilter {
  readonly from: Date;
  /** Exclusive end of the window. */
  readonly to: Date;
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

const conditions = (query: LogQuery): string =>
  [...filterConditions(query), `time >= {from:DateTime64(3, 'UTC')}`, `time < {to:DateTime64(3, 'UTC')}`].join(' AND ');

async function ask<T extends z.ZodType>(client: ClickHouseClient, query: LogQuery, sql: string, row: T) {
  const { from, to, limit, offset, intervalSeconds } = query;
  const answer = await client.query({
    query: sql,
    query_params: { ...filterParameters(query), from, to, limit, offset, intervalSeconds },
    format: 'JSONEachRow',
    clickhouse_settings: logSettings,
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
