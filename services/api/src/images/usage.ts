// Finds the users of an image: live workloads, stored revisions and executions that have not ended.
import { type DatabaseTransaction, liveResource } from '@berth/database';
import { sql } from 'kysely';

const workloads = ['agent', 'application', 'function', 'job', 'sandbox'];
const openExecutions = ['queued', 'pending', 'running', 'cancelling'];

/** The references in use, each with one of its users. */
export async function usersOf(
  tx: DatabaseTransaction,
  workspaceId: string,
  references: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ reference: string; user: string }>`
    with workload as (
      select uid, kind, name, spec from resources
      where workspace_id = ${workspaceId} and kind = any(${workloads}::text[]) and ${liveResource()}
    ),
    used as (
      select kind, name, coalesce(spec #>> '{runtime,image}', spec ->> 'image') as reference from workload
      union all
      select kind, name, coalesce(r.spec #>> '{runtime,image}', r.spec ->> 'image')
      from workload join revisions r on r.resource_uid = uid
      union all
      select kind, name, e.spec #>> '{job,runtime,image}'
      from workload join executions e on e.job_uid = uid and e.status = any(${openExecutions}::text[])
    )
    select distinct on (reference) reference, kind || ' ' || name as user
    from used where reference = any(${[...references]}::text[])
    order by reference, kind, name`.execute(tx);
  return new Map(rows.map(({ reference, user }) => [reference, user]));
}
