// Looks up triggers by their paths.
import { triggerPathFault } from '@berth/contract';
import { type Database, liveResource } from '@berth/database';
import { sql } from 'kysely';
import type { NameForm } from '../routing/lookup-cache.ts';
import type { TriggerRoute } from '../routing/route.ts';
import { isWorkspace, isWorkspaceKey, workspaceIdIn } from '../routing/workspace-key.ts';
import type { FoundTrigger } from './trigger.ts';

export const triggerNames: NameForm<TriggerRoute, FoundTrigger> = {
  keyOf: ({ workspace, name }) => `${workspace}/${name}`,
  isPossible: ({ workspace, name }) => triggerPathFault(name) === undefined && isWorkspaceKey(workspace),
  query: queryTrigger,
  queryNames: queryPaths,
};

async function queryTrigger(database: Database, { workspace, name }: TriggerRoute): Promise<FoundTrigger | undefined> {
  const { rows } = await sql<FoundTrigger>`
    select resources.uid, resources.kind, resources.name, workspaces.id as "workspaceId", workspaces.name as workspace,
      trigger_id as "triggerId", path, is_public as "isPublic",
      coalesce((resources.spec ->> 'enabled')::boolean, true) as "isEnabled"
    from workspaces
    join trigger_paths on trigger_paths.workspace_id = workspaces.id
    join resources on resources.uid = trigger_paths.resource_uid
    where ${isWorkspace(workspace)} and path = ${name} and is_enabled and resources.kind = 'job' and ${liveResource('resources')}`.execute(
    database,
  );
  return rows[0];
}

async function queryPaths(database: Database, asked: readonly TriggerRoute[]): Promise<boolean[]> {
  const { rows } = await sql<{ at: number }>`
    select at::integer from unnest(
        ${asked.map(({ workspace }) => workspaceIdIn(workspace))}::uuid[],
        ${asked.map(({ workspace }) => workspace)}::text[],
        ${asked.map(({ name }) => name)}::text[])
      with ordinality as asked(workspace_id, workspace, path, at)
    where exists (
      select from workspaces join trigger_paths on trigger_paths.workspace_id = workspaces.id
      where (workspaces.id = asked.workspace_id or workspaces.name = asked.workspace)
        and trigger_paths.path = asked.path)`.execute(database);
  const places = new Set(rows.map(({ at }) => at - 1));
  return asked.map((_, at) => places.has(at));
}
