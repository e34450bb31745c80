// Reads all data of a workload that serving a request needs, in one round trip.
import { ResourceName } from '@berth/contract';
import type { Database } from '@berth/database';
import { type RawBuilder, sql } from 'kysely';
import type { Workload } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import { WorkloadRow } from '../workloads/workload-row.ts';
import { queryPreview } from './preview-query.ts';
import type { FoundWorkload, Route } from './route.ts';
import { isWorkspace, isWorkspaceKey } from './workspace-key.ts';

/** False for a name that no workload can have: it needs no query, and text of any length is not cached. */
export const isPossible = (route: Route): boolean => conditionFor(route) !== undefined;

function conditionFor(route: Route): RawBuilder<boolean> | undefined {
  if (route.by === 'host') {
    return sql`uid = (select resource_uid from host_labels where region = ${route.region} and label = ${route.label})`;
  }
  if (route.by === 'preview') {
    return sql`uid = (select parent_uid from resources where uid =
      (select preview_uid from preview_hosts where region = ${route.region} and label = ${route.label}))`;
  }
  const { workspace, kind, name } = route;
  if (!ResourceName.safeParse(name).success || !isWorkspaceKey(workspace)) return undefined;
  return sql`workspace_id = (select id from workspaces where ${isWorkspace(workspace)})
    and parent_uid = '00000000-0000-0000-0000-000000000000' and kind = ${kind} and name = ${name}`;
}

export async function queryWorkload(database: Database, route: Route): Promise<FoundWorkload | undefined> {
  if (route.by !== 'preview') return workloadBy(database, route);
  const [workload, preview] = await Promise.all([workloadBy(database, route), queryPreview(database, route)]);
  // The host may have moved to another preview between the two queries.
  if (workload === undefined || preview?.sandboxUid !== workload.uid) return undefined;
  const ends = [workload.endsInMs, preview.endsInMs].filter((end) => end !== undefined);
  return { ...workload, preview, endsInMs: ends.length === 0 ? undefined : Math.min(...ends) };
}

async function workloadBy(database: Database, route: Route): Promise<Workload | undefined> {
  const condition = conditionFor(route);
  if (condition === undefined) return undefined;
  const { rows } = await sql`
    with found as (
      select uid, workspace_id, kind, name, status, state ->> 'activeRevision' as active,
        coalesce((spec ->> 'public')::boolean, false) as is_public,
        coalesce((spec ->> 'enabled')::boolean, true) as is_enabled,
        case when coalesce((spec #>> '{revision,canaryPercent}')::float8, 0) > 0
          then nullif(spec #>> '{revision,canary}', '') end as canary,
        coalesce((spec #>> '{revision,canaryPercent}')::float8, 0) as canary_percent,
        coalesce((spec #>> '{revision,stickySessionTtl}')::float8, 0) as sticky_seconds,
        case when kind = 'sandbox' then jsonb_path_query_array(spec, '$.runtime.ports[*].target') else '[]' end as ports,
        extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as ends_in_ms
      from resources
      where ${condition} and kind in ('agent', 'function', 'sandbox') and terminated_at is null
        and (status is null or status not in ('DELETING', 'TERMINATED'))
        and (expires_at is null or expires_at > clock_timestamp())
    )
    select found.uid, found.kind, found.name, found.workspace_id, workspaces.name as workspace, found.is_public,
      found.is_enabled, found.active,
      coalesce((select status from revisions where resource_uid = found.uid and id = found.active), found.status)
        is not distinct from 'FAILED' as is_failed, found.canary, found.canary_percent, found.sticky_seconds,
      found.ports, found.ends_in_ms, exists (select from instances i join runners on runners.id = i.runner_id
        where i.resource_uid = found.uid and i.ended_at is null and i.desired = 'running' and runners.status <> 'up')
        as is_away,
      (select coalesce(jsonb_agg(jsonb_build_object('instance', i.id, 'revision', i.revision, 'runnerId', i.runner_id,
          'address', runners.ingress_address, 'secret', runners.ingress_secret) order by i.id), '[]')
        from instances i join runners on runners.id = i.runner_id
        where i.resource_uid = found.uid and i.ended_at is null and i.state = 'ready' and i.desired = 'running'
          and runners.status = 'up' and (found.kind = 'sandbox' or i.revision in (found.active, found.canary))) as endpoints
    from found join workspaces on workspaces.id = found.workspace_id`.execute(database);
  if (rows.length === 0) return undefined;
  const row = WorkloadRow.parse(rows[0]);
  return workloadKinds[row.kind].toWorkload(row);
}
