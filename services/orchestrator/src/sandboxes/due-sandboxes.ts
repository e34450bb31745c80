import { liveResource, nilUuid, unendedInstance } from '@berth/database';
import { defineResyncSource, type KeyOnly, type ResyncSource, reconcileMessage } from '@berth/durable';
import { sql } from 'kysely';

/**
 * Sandboxes that are deploying or being deleted, that expire soon or should have expired, or whose runner is away.
 * Their timers may be lost; a reconcile arms them again.
 */
export const dueSandboxes: ResyncSource<KeyOnly> = defineResyncSource({
  to: reconcileMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ uid: string }>`
      select uid from (
        select uid from resources
        where kind = 'sandbox' and expires_at < clock_timestamp() + interval '10 minutes' and ${liveResource()}
        union
        select uid from resources
        where kind = 'sandbox' and ${liveResource()} and status in ('DEPLOYING', 'DELETING')
        union
        select resource_uid from instances join runners on runners.id = instances.runner_id
        where ${unendedInstance()} and pool is null and execution_id is null
          and (is_expired or runners.status = 'lost')
      ) as due where uid > ${after ?? nilUuid} order by uid limit ${limit}`.execute(database);
    return rows.map(({ uid }) => ({ key: uid, message: {} }));
  },
});
