import { liveInstance, nilUuid } from '@berth/database';
import { defineResyncSource, type KeyOnly, type ResyncSource, reconcileMessage } from '@berth/durable';
import { sql } from 'kysely';
import type { ScalingSettings } from '../run/dependencies.ts';
import { deploymentKinds } from './deployment-kinds.ts';

const unsettled = ['DEPLOYING', 'DEACTIVATING', 'DELETING'];

/**
 * Resources that are changing, or whose serving revision has fewer instances than wanted, or more than wanted for
 * longer than the idle timeout. The share of a canary is ignored: a reconcile that finds nothing to do costs little.
 */
export const unfinishedDeployments = ({
  requestsPerInstance,
  idleSeconds,
  mostInstances,
}: ScalingSettings): ResyncSource<KeyOnly> =>
  defineResyncSource({
    to: reconcileMessage,
    async page(database, after, limit) {
      const { rows } = await sql<{ uid: string }>`
        select resources.uid from resources
        left join revisions on revisions.resource_uid = resources.uid
          and revisions.id = resources.state ->> 'activeRevision' and revisions.status <> 'FAILED'
        left join lateral (
          select count(*) as count, max(coalesce(ready_at, created_at)) as youngest from instances
          where instances.resource_uid = resources.uid and instances.revision = revisions.id
            and ${liveInstance('instances')} and instances.state <> 'failed'
        ) as running on true
        left join lateral (
          select least(
            greatest(
              coalesce((revisions.spec #>> '{runtime,minScale}')::int, 0),
              ceil(coalesce(sum(requests), 0) / ${requestsPerInstance}::float8)
            ),
            greatest(1, coalesce((revisions.spec #>> '{runtime,maxScale}')::int, ${mostInstances}::int))
          ) as count
          from workload_demand
          where workload_demand.resource_uid = resources.uid and expires_at > clock_timestamp()
        ) as wanted on true
        where resources.uid > ${after ?? nilUuid} and resources.kind = any(${[...deploymentKinds]}::text[])
          and (
            resources.status = any(${unsettled}::text[])
            or (resources.spec ->> 'enabled' is distinct from 'false' and revisions.id is not null and (
              running.count < wanted.count
              or (running.count > wanted.count
                and running.youngest < clock_timestamp() - make_interval(secs => ${idleSeconds}))
            ))
          )
        order by resources.uid limit ${limit}`.execute(database);
      return rows.map(({ uid }) => ({ key: uid, message: {} }));
    },
  });
