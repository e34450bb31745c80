import { liveInstance, nilUuid } from '@berth/database';
import { defineResyncSource, type KeyOnly, type ResyncSource, reconcileMessage } from '@berth/durable';
import { sql } from 'kysely';
import { deploymentKinds } from '../deployments/deployment-kinds.ts';

/**
 * Resources with instances that failed or should not run any more: the resource is gone or terminated, or it is a
 * disabled deployment. Of other kinds a disabled resource keeps its instances. Attempts of tasks outlive their job, but
 * not their workspace.
 */
export const strayInstances: ResyncSource<KeyOnly> = defineResyncSource({
  to: reconcileMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ uid: string }>`
      select distinct instances.resource_uid as uid from instances
      left join resources on resources.uid = instances.resource_uid
      where ${liveInstance('instances')} and instances.resource_uid > ${after ?? nilUuid}
        and case when instances.execution_id is null then
          resources.uid is null or resources.terminated_at is not null or instances.state = 'failed'
            or (resources.spec ->> 'enabled' = 'false' and resources.kind = any(${[...deploymentKinds]}::text[]))
        else
          resources.uid is null
            and not exists (select 1 from workspaces where workspaces.id = instances.workspace_id)
        end
      order by uid limit ${limit}`.execute(database);
    return rows.map(({ uid }) => ({ key: uid, message: {} }));
  },
});
