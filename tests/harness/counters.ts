// Compares the counters behind limits and totals with the rows they count.
import { kinds } from '@berth/contract';
import { sql } from 'kysely';
import type { TestApi } from './test-api.ts';

interface Difference {
  readonly counter: string;
  readonly counted: number;
  readonly rows: number;
}

/**
 * Counters that do not equal their rows; empty when all is well. Executions of a deleted job are not counted any more.
 */
export async function wrongCounters({ database }: TestApi): Promise<Difference[]> {
  const { rows: totals } = await sql<Difference>`
    with live as (
      select workspace_id, kind, parent_uid, count(*)::int as n from resources where terminated_at is null group by 1, 2, 3
      union all
      select executions.workspace_id, 'execution', job_uid, count(*)::int
      from executions join resources on resources.uid = job_uid group by 1, 2, 3
    )
    select concat(coalesce(l.kind, c.kind), ' of ', coalesce(l.workspace_id, c.workspace_id), ' below ', coalesce(l.parent_uid, c.parent_uid)) as counter,
      coalesce(c.live, 0)::int as counted, coalesce(l.n, 0) as rows
    from live l full join resource_counts c
      on c.workspace_id = l.workspace_id and c.kind = l.kind and c.parent_uid = l.parent_uid
    where coalesce(c.live, 0) <> coalesce(l.n, 0)`.execute(database);
  const limited = kinds.flatMap(({ kind, quota }) => (quota === undefined ? [] : [{ kind, quota }]));
  const { rows: usage } = await sql<Difference>`
    with kinds as (
      select * from json_to_recordset(${JSON.stringify(limited)}::json) as k(kind text, quota text)
    ), held as (
      select w.account_id, k.quota, count(*)::int as n
      from resources r join workspaces w on w.id = r.workspace_id join kinds k on k.kind = r.kind
      where r.terminated_at is null group by 1, 2
    )
    select concat('limit ', coalesce(h.quota, u.resource_type)) as counter,
      coalesce(u.used, 0)::int as counted, coalesce(h.n, 0) as rows
    from held h full join (select * from quota_usage where resource_type in (select quota from kinds)) u
      on u.account_id = h.account_id and u.resource_type = h.quota
    where coalesce(u.used, 0) <> coalesce(h.n, 0)`.execute(database);
  return [...totals, ...usage];
}
