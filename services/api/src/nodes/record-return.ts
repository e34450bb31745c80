import { type DatabaseTransaction, nilUuid, outboxKeys, outboxTopics, unendedInstance } from '@berth/database';
import { sql } from 'kysely';

/**
 * Ends the absence of a runner that was lost and is back, and enqueues work for it: its warm pools were ended, its
 * sandboxes were unreachable, and it has room for waiting tasks.
 */
export async function recordReturn(tx: DatabaseTransaction, runnerId: string): Promise<void> {
  await sql`
    with returned as (
      update runner_absences set until = clock_timestamp() where runner_id = ${runnerId} and until is null
    )
    insert into outbox (topic, key, workspace_id)
    select ${sql.lit(outboxTopics.pool)}, ${runnerId}, ${nilUuid}::uuid union all
    select ${sql.lit(outboxTopics.dispatch)}, ${outboxKeys.dispatch}, ${nilUuid}::uuid from runners
    where id = ${runnerId} and max_tasks > 0 union all
    select distinct ${sql.lit(outboxTopics.reconcile)}, resource_uid::text, workspace_id from instances
    where runner_id = ${runnerId} and ${unendedInstance()} and pool is null and spec ? 'sandbox'`.execute(tx);
}
