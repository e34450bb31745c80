// Writes the demand seen by one gateway to `workload_demand`, which the orchestrator reads. One statement for all
// workloads.
import { type Database, nilUuid, outboxTopics } from '@berth/database';
import { sql } from 'kysely';

export interface DemandEntry {
  readonly uid: string;
  /** 0 removes the row: the workload gets no requests any more. */
  readonly requests: number;
  /** True when the workload may need a different number of instances; false for a periodic repeat. */
  readonly isChange: boolean;
}

export interface Writer {
  readonly gatewayId: string;
  /** Lifetime of a row that is not repeated. */
  readonly lifeSeconds: number;
}

export async function writeDemand(
  database: Database,
  { gatewayId, lifeSeconds }: Writer,
  entries: readonly DemandEntry[],
): Promise<void> {
  const uids = entries.map(({ uid }) => uid);
  const requests = entries.map((entry) => entry.requests);
  const changes = entries.map(({ isChange }) => isChange);
  await sql`
    with said as (
      select * from unnest(${uids}::uuid[], ${requests}::int[], ${changes}::boolean[]) as said(uid, requests, is_news)
    ), kept as (
      insert into workload_demand (resource_uid, gateway_id, requests, expires_at)
      select uid, ${gatewayId}::uuid, requests, clock_timestamp() + make_interval(secs => ${lifeSeconds}) from said
      where requests > 0
      on conflict (resource_uid, gateway_id) do update set requests = excluded.requests, expires_at = excluded.expires_at
    ), ended as (
      delete from workload_demand using said
      where resource_uid = said.uid and gateway_id = ${gatewayId}::uuid and said.requests = 0
    )
    insert into outbox (topic, key, workspace_id)
    select ${sql.lit(outboxTopics.reconcile)}, said.uid::text, coalesce(resources.workspace_id, ${nilUuid}::uuid)
    from said left join resources on resources.uid = said.uid where is_news`.execute(database);
}
