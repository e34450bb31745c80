// Finds the next month of each account that can be stated: it ended some days ago, and all of its hours are closed.
import type { Database } from '@berth/database';
import { statementDelayMs } from '@berth/usage';
import { sql } from 'kysely';

export interface DueStatement {
  readonly accountId: string;
  /** As 2026-11. */
  readonly month: string;
  /** Month of the account's newest statement; null before its first one. */
  readonly newest: string | null;
}

export interface DueStatementsQuery {
  readonly nowMs: number;
  /** Accounts that are left out. */
  readonly postponed: readonly string[];
  readonly limit: number;
}

/** `first_hours` jumps from one account to the next in the primary key, so the cost does not grow with the closed hours. */
export async function findDueStatements(
  database: Database,
  { nowMs, postponed, limit }: DueStatementsQuery,
): Promise<DueStatement[]> {
  const { rows } = await sql<DueStatement>`
    with recursive first_hours as (
      (select account_id, hour from usage_closed_hours order by account_id, hour limit 1)
      union all
      select next.account_id, next.hour from first_hours cross join lateral (
        select account_id, hour from usage_closed_hours
        where account_id > first_hours.account_id
        order by account_id, hour limit 1) as next
    ), next_months as (
      select first_hours.account_id, stated.month as newest,
        coalesce(
          to_date(stated.month, 'YYYY-MM') + interval '1 month',
          date_trunc('month', first_hours.hour at time zone 'UTC')) as starts
      from first_hours left join lateral (
        select month from statements where statements.account_id = first_hours.account_id order by month desc limit 1
      ) as stated on true
    )
    select account_id as "accountId", to_char(starts, 'YYYY-MM') as month, newest
    from next_months
    where (starts + interval '1 month') at time zone 'UTC' <= ${new Date(nowMs - statementDelayMs)}
      and account_id <> all(${postponed}::uuid[])
      and not exists (
        select from usage_dirty_hours as dirty
        where dirty.account_id = next_months.account_id
          and hour < (starts + interval '1 month') at time zone 'UTC')
    order by starts, account_id limit ${limit}`.execute(database);
  return rows;
}
