// Looks up triggers by the beginnings of paths.
import { possibleTriggerPaths, triggerPathFault } from '@berth/contract';
import { type Database, liveResource } from '@berth/database';
import { sql } from 'kysely';
import type { NameForm } from '../routing/lookup-cache.ts';
import type { TriggerRoute } from '../routing/route.ts';
import type { FoundTrigger } from '../routing/trigger.ts';
import { isWorkspace, isWorkspaceKey, workspaceIdIn } from '../routing/workspace-key.ts';

export const triggerNames: NameForm<TriggerRoute, FoundTrigger> = {
  keyOf: ({ workspace, name, isWhole }) => `${workspace}/${name}${isWhole ? '' : '/*'}`,
  isPossible: ({ workspace, name }) => triggerPathFault(name) === undefined && isWorkspaceKey(workspace),
  query: queryTrigger,
  queryNames: queryPaths,
};

/** Of several paths with which the address begins the longest counts. A job has no addresses below its path. */
async function queryTrigger(
  database: Database,
  { workspace, name, isWhole }: TriggerRoute,
): Promise<FoundTrigger | undefined> {
  const { rows } = await sql<FoundTrigger>`
    select resources.uid, resources.kind, resources.name, workspaces.id as "workspaceId", workspaces.name as workspace,
      trigger_id as "triggerId", path, is_public as "isPublic", is_async as "isAsync",
      coalesce((resources.spec ->> 'enabled')::boolean, true) as "isEnabled"
    from workspaces
    join trigger_paths on trigger_paths.workspace_id = workspaces.id
    join resources on resources.uid = trigger_paths.resource_uid
    where ${isWorkspace(workspace)} and path = any(${possibleTriggerPaths(name)}::text[]) and is_enabled
      and (resources.kind in ('agent', 'function') or resources.kind = 'job' and ${isWhole}::boolean and path = ${name})
      and ${liveResource('resources')}
    order by length(path) desc limit 1`.execute(database);
  return rows[0];
}

async function queryPaths(database: Database, asked: readonly TriggerRoute[]): Promise<boolean[]> {
  const paths = asked.flatMap(({ workspace, name }, at) =>
    possibleTriggerPaths(name).map((path) => ({ at, workspace, path })),
  );
  const { rows } = await sql<{ at: number }>`
    select distinct at from unnest(
        ${paths.map(({ at }) => at)}::int[],
        ${paths.map(({ workspace }) => workspaceIdIn(workspace))}::uuid[],
        ${paths.map(({ workspace }) => workspace)}::text[],
        ${paths.map(({ path }) => path)}::text[])
      as asked(at, workspace_id, workspace, path)
    where exists (
      select from workspaces join trigger_paths on trigger_paths.workspace_id = workspaces.id
      where (workspaces.id = asked.workspace_id or workspaces.name = asked.workspace)
        and trigger_paths.path = asked.path)`.execute(database);
  const places = new Set(rows.map(({ at }) => at));
  return asked.map((_, at) => places.has(at));
}
