// Requests to workloads in a time window. Every query is limited to one workspace.
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { addSums, figuresOf, type RequestFigures } from './request-figures.ts';

export interface RequestQuery {
  readonly workspaceId: string;
  readonly resourceTypes: readonly string[];
  /** Absent: the workloads with the most requests in the window, without buckets. */
  readonly workloads?: readonly string[] | undefined;
  /** A minute counts where it begins. */
  readonly from: Date;
  /** Exclusive end of the window. */
  readonly to: Date;
  /** A multiple of 60. */
  readonly intervalSeconds: number;
}

export interface WorkloadRequests {
  readonly total: RequestFigures;
  /** Buckets with requests, oldest first; `start` is in seconds since 1970. */
  readonly buckets: readonly (RequestFigures & { readonly start: number })[];
}

const count = z.number();
const counts = z.array(count);
const Row = z.object({
  workload: z.string(),
  start: count,
  requests: count,
  clientErrors: count,
  serverErrors: count,
  bytesIn: count,
  bytesOut: count,
  durations: counts,
  firstBytes: counts,
});

/** Rows that replace each other are of the same minute, and so in the same partition. */
const settings = {
  do_not_merge_across_partitions_select_final: 1,
  // Numbers and not texts, because an answer may have millions of counts.
  output_format_json_quote_64bit_integers: 0,
  max_execution_time: 20,
} as const;

/** Workloads in an answer to a query that names none. */
const maxWorkloads = 1_000;
/** Longer than any window, so that all minutes fall into one bucket. */
const oneBucketSeconds = 2 ** 32 - 1;
const minuteMs = 60_000;

/** The first full minute at or after the time. */
const minuteFrom = (time: Date): Date => new Date(Math.ceil(time.getTime() / minuteMs) * minuteMs);

const statement = ({ workloads }: RequestQuery): string => `
  SELECT workload, intDiv(toUnixTimestamp(minute), {intervalSeconds:UInt32}) * {intervalSeconds:UInt32} AS start,
    sum(requests) AS requests, sum(client_errors) AS clientErrors, sum(server_errors) AS serverErrors,
    sum(bytes_in) AS bytesIn, sum(bytes_out) AS bytesOut,
    sumForEach(durations) AS durations, sumForEach(first_bytes) AS firstBytes
  FROM request_minutes FINAL
  WHERE workspace_id = {workspaceId:UUID} AND resource_type IN {resourceTypes:Array(String)}
    ${workloads === undefined ? '' : 'AND workload IN {workloads:Array(String)}'}
    AND minute >= {from:DateTime('UTC')} AND minute < {to:DateTime('UTC')}
  GROUP BY workload, start
  ORDER BY ${workloads === undefined ? `requests DESC, workload LIMIT ${maxWorkloads}` : 'start'}`;

/** Workloads without requests are absent. */
export async function queryRequests(
  client: ClickHouseClient,
  query: RequestQuery,
): Promise<ReadonlyMap<string, WorkloadRequests>> {
  const { workspaceId, resourceTypes, workloads, from, to, intervalSeconds } = query;
  const answer = await client.query({
    query: statement(query),
    query_params: {
      ...{ workspaceId, resourceTypes, workloads: workloads ?? [] },
      ...{ from: minuteFrom(from), to: minuteFrom(to) },
      intervalSeconds: workloads === undefined ? oneBucketSeconds : intervalSeconds,
    },
    format: 'JSONEachRow',
    clickhouse_settings: settings,
  });
  const held = new Map<string, z.infer<typeof Row>[]>();
  // Row by row, so that other requests are served while a large answer is read.
  for await (const lines of answer.stream())
    for (const line of lines) {
      const row = Row.parse(line.json());
      const known = held.get(row.workload);
      if (known === undefined) held.set(row.workload, [row]);
      else known.push(row);
    }
  return new Map([...held].map(([workload, rows]) => [workload, requestsOf(rows, workloads !== undefined)]));
}

function requestsOf(rows: readonly z.infer<typeof Row>[], hasBuckets: boolean): WorkloadRequests {
  const buckets = hasBuckets ? rows.map(({ workload: _, start, ...sums }) => ({ start, ...figuresOf(sums) })) : [];
  return { total: figuresOf(addSums(rows)), buckets };
}
