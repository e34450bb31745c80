import { type DatabaseTransaction, nilUuid, outboxTopics, unendedInstance } from '@berth/database';
import { sql } from 'kysely';

/**
 * Enqueues work for a runner that was lost and is back: its warm pools were ended, and its sandboxes were unreachable.
 */
export async function requeueAfterReturn(tx: DatabaseTransaction, runnerId: string): Promise<void> {
  await sql`
    insert into outbox (topic, key, workspace_id)
    select ${sql.lit(outboxTopics.pool)}, ${runnerId}, ${nilUuid}::uuid union all
    select distinct ${sql.lit(outboxTopics.reconcile)}, resource_uid::text, workspace_id from instances
    where runner_id = ${runnerId} and ${unendedInstance()} and pool is null and spec ? 'sandbox'`.execute(tx);
}
