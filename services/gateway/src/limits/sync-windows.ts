// Writes the sums of counters, and reads what others have written for the same windows. One statement for all of them.
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import type { Counter } from './counter.ts';
import type { Sums } from './sums.ts';

/** A counter as it was when the statement began. */
export interface SentCounter {
  readonly counter: Counter;
  readonly own: Sums;
  readonly isChanged: boolean;
}

export interface SyncAnswer {
  /** Time of PostgreSQL, not before that of the sums. */
  readonly clockMs: number;
  /** Sums of all other rows, in the order of the counters. */
  readonly others: readonly Sums[];
}

interface Row {
  readonly now: Date;
  readonly place: number | null;
  readonly sent: string;
  readonly received: string;
  readonly nanoUsd: string;
}

/**
 * Sums only grow, so the greatest one is the latest: a statement that was given up and runs after a later one takes nothing
 * back.
 */
export async function syncWindows(database: Database, sent: readonly SentCounter[]): Promise<SyncAnswer> {
  const column = (textOf: (each: SentCounter) => string): string[] => sent.map(textOf);
  const seconds = (msOf: (counter: Counter) => number): number[] => sent.map(({ counter }) => msOf(counter) / 1_000);
  const { rows } = await sql<Row>`
    with counted as (
      select subject, measure, to_timestamp(start_seconds) as window_start, gateway_run, sent, received, nano_usd,
        to_timestamp(end_seconds) as expires_at, is_changed, place
      from unnest(
          ${column(({ counter }) => counter.subject)}::uuid[], ${column(({ counter }) => counter.measure)}::text[],
          ${seconds(({ window }) => window.startMs)}::float8[], ${column(({ counter }) => counter.runId)}::uuid[],
          ${column(({ own }) => String(own.sent))}::numeric[], ${column(({ own }) => String(own.received))}::numeric[],
          ${column(({ own }) => String(own.nanoUsd))}::numeric[],
          ${seconds(({ window, keptMs }) => window.endMs + keptMs)}::float8[],
          ${sent.map(({ isChanged }) => isChanged)}::boolean[])
        with ordinality as counted(subject, measure, start_seconds, gateway_run, sent, received, nano_usd, end_seconds,
          is_changed, place)
    ), written as (
      insert into limit_windows (subject, measure, window_start, gateway_run, sent, received, nano_usd, expires_at)
      select subject, measure, window_start, gateway_run, sent, received, nano_usd, expires_at from counted
      where is_changed
      on conflict (subject, measure, window_start, gateway_run) do update
        set sent = greatest(limit_windows.sent, excluded.sent),
          received = greatest(limit_windows.received, excluded.received),
          nano_usd = greatest(limit_windows.nano_usd, excluded.nano_usd)
    ), others as (
      select place, total.sent, total.received, total.nano_usd
      from counted cross join lateral (
        select coalesce(sum(sent), 0) as sent, coalesce(sum(received), 0) as received,
          coalesce(sum(nano_usd), 0) as nano_usd
        from limit_windows as other
        where other.subject = counted.subject and other.measure = counted.measure
          and other.window_start = counted.window_start and other.gateway_run <> counted.gateway_run
      ) as total
    )
    select clock.now, place::integer, sent::text, received::text, nano_usd::text as "nanoUsd"
    from (select clock_timestamp() as now) as clock left join others on true
    order by place`.execute(database);
  const [first] = rows;
  if (first === undefined) throw new Error('The database returned no time.');
  return {
    clockMs: first.now.getTime(),
    others: rows.flatMap(({ place, ...row }) => (place === null ? [] : [sumsOf(row)])),
  };
}

const sumsOf = ({ sent, received, nanoUsd }: Omit<Row, 'now' | 'place'>): Sums => ({
  sent: BigInt(sent),
  received: BigInt(received),
  nanoUsd: BigInt(nanoUsd),
});
