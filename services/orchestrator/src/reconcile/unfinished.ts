// What would stay undone if the engine lost everything: deployments on their way, and instances that are not as they should
// be. A handler that finds nothing to do returns, so a row too many costs little.
import { nilUuid } from '@berth/database';
import { defineResyncSource, type ResyncSource } from '@berth/durable';
import { sql } from 'kysely';
import { runningKinds } from './load.ts';
import { reconcileMessage } from './message.ts';

const unsettled = ['DEPLOYING', 'DEACTIVATING', 'DELETING'];

/** Resources that are changing, or whose serving revision has fewer instances than it should and may have more. */
export const unfinishedResources: ResyncSource<Record<string, never>> = defineResyncSource({
  to: reconcileMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ uid: string }>`
      select resources.uid from resources
      left join revisions on revisions.resource_uid = resources.uid
        and revisions.id = resources.state ->> 'activeRevision' and revisions.status <> 'FAILED'
      where resources.uid > ${after ?? nilUuid} and resources.kind = any(${[...runningKinds]}::text[])
        and (
          resources.status = any(${unsettled}::text[])
          or (resources.spec ->> 'enabled' is distinct from 'false' and revisions.id is not null and (
            select count(*) from instances
            where instances.resource_uid = resources.uid and instances.revision = revisions.id
              and instances.ended_at is null and instances.desired = 'running' and instances.state <> 'failed'
          ) < least(
            greatest(1, (revisions.spec #>> '{runtime,minScale}')::int),
            greatest(1, coalesce((revisions.spec #>> '{runtime,maxScale}')::int, 10000))
          ))
        )
      order by resources.uid limit ${limit}`.execute(database);
    return rows.map(({ uid }) => ({ key: uid, message: {} }));
  },
});

/** Instances that failed, or that nobody owns any more: their resource is gone or no longer runs. */
export const strayInstances: ResyncSource<Record<string, never>> = defineResyncSource({
  to: reconcileMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ uid: string }>`
      select distinct instances.resource_uid as uid from instances
      left join resources on resources.uid = instances.resource_uid
      where instances.ended_at is null and instances.desired = 'running' and instances.resource_uid > ${after ?? nilUuid}
        and (resources.uid is null or instances.state = 'failed' or resources.spec ->> 'enabled' = 'false')
      order by uid limit ${limit}`.execute(database);
    return rows.map(({ uid }) => ({ key: uid, message: {} }));
  },
});
