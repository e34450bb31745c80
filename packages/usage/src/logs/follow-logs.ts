// Lines that were stored after a position.
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { filterConditions, filterParameters, type LogFilter, logSettings } from './log-filter.ts';
import { advance, type LogPosition, lateMs, maxSources } from './log-position.ts';

export interface FollowQuery extends LogFilter {
  readonly limit: number;
}

export interface TailQuery extends FollowQuery {
  /** The last lines are looked for from here on. */
  readonly from: Date;
}

const number = z.coerce.number();
const Line = z.object({
  workload: z.string(),
  at: z.string(),
  atMs: number,
  severity: number,
  text: z.string(),
  source: z.string(),
  place: number,
});
const Head = Line.pick({ source: true, place: true, atMs: true });

export interface FollowedLogs {
  /** Oldest first. */
  readonly lines: readonly Omit<z.infer<typeof Line>, 'atMs' | 'source' | 'place'>[];
  readonly position: LogPosition;
}

/** The runner gives its notes the number 2^52, so their time tells them apart. */
const noteSequence = 2 ** 52;
const isNote = `sequence >= ${noteSequence}`;
// Half of an instance's id is enough to tell the instances of a workspace apart.
const source = `concat(substring(toString(instance_id), 20), if(${isNote}, 'n', ''))`;
const place = `toInt64(if(${isNote}, toUnixTimestamp64Milli(time), sequence))`;
const atMs = 'toUnixTimestamp64Milli(time)';
const lineColumns = `workload, toString(time) AS at, ${atMs} AS atMs, toInt8(logs.severity) AS severity, text,
  ${source} AS source, ${place} AS place`;
/** Last place that was read of a line's source. */
const readPlace = `transform(${source}, {sources:Array(String)}, {places:Array(Int64)}, toInt64(-1))`;
const since = `fromUnixTimestamp64Milli({since:Int64}, 'UTC')`;

/** The next lines after a position. */
export async function followLogs(
  client: ClickHouseClient,
  query: FollowQuery,
  position: LogPosition,
  nowMs: number,
): Promise<FollowedLogs> {
  // In the order of places, so that a page which is full leaves no line behind.
  const lines = await ask(client, query, position, {
    row: Line,
    sql: `SELECT * FROM (
      SELECT time, ${lineColumns} FROM logs FINAL
      WHERE ${filterConditions(query).join(' AND ')} AND time >= ${since} AND ${place} > ${readPlace}
      ORDER BY place, source LIMIT {limit:UInt32})
    ORDER BY time, source, place`,
  });
  return { lines, position: advance(position, lines, lines.length < query.limit ? nowMs : undefined) };
}

/** The last lines, and the position after everything that is stored now. */
export async function tailLogs(client: ClickHouseClient, query: TailQuery, nowMs: number): Promise<FollowedLogs> {
  const begin: LogPosition = { sinceMs: nowMs - lateMs, sources: {} };
  // Also of lines that the filters on text leave out: they are read.
  const { severities: _, search: __, ...whose } = query;
  const heads = await ask(client, whose, begin, {
    row: Head,
    sql: `SELECT ${source} AS source, max(${place}) AS place, max(${atMs}) AS atMs FROM logs
      WHERE ${filterConditions(whose).join(' AND ')} AND time >= ${since}
      GROUP BY source ORDER BY atMs DESC LIMIT ${maxSources + 1}`,
  });
  const position = advance(begin, heads);
  const newestFirst =
    query.limit === 0
      ? []
      : await ask(client, query, position, {
          row: Line,
          sql: `SELECT ${lineColumns} FROM logs FINAL
            WHERE ${filterConditions(query).join(' AND ')} AND time >= {from:DateTime64(3, 'UTC')}
              AND (time < ${since} OR ${place} <= ${readPlace})
            ORDER BY time DESC, source DESC, place DESC LIMIT {limit:UInt32}`,
        });
  return { lines: newestFirst.toReversed(), position };
}

async function ask<T extends z.ZodType>(
  client: ClickHouseClient,
  query: FollowQuery & Partial<TailQuery>,
  { sinceMs, sources }: LogPosition,
  { sql, row }: { readonly sql: string; readonly row: T },
) {
  const read = Object.entries(sources);
  const answer = await client.query({
    query: sql,
    query_params: {
      ...filterParameters(query),
      ...{ limit: query.limit, from: query.from, since: sinceMs },
      sources: read.map(([name]) => name),
      places: read.map(([, { place: last }]) => last),
    },
    format: 'JSONEachRow',
    clickhouse_settings: logSettings,
  });
  return z.array(row).parse(await answer.json());
}
