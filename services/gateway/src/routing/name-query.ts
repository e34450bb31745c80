// Checks which of many names exist. Anonymous callers may ask for any name, and most of those names are invented.
import { type Database, liveResource } from '@berth/database';
import { type RawBuilder, sql } from 'kysely';
import type { ServedKind } from '../workloads/workload.ts';
import { workspaceIdIn } from './workspace-key.ts';

/** What an address names. */
export type Name = ByPath | ByHost;

interface ByPath {
  readonly by: 'path';
  readonly workspace: string;
  readonly kind: ServedKind | 'model';
  readonly name: string;
}

interface Labelled<By> {
  readonly by: By;
  readonly region: string;
  readonly label: string;
}

type ByHost = Labelled<'host'> | Labelled<'preview'>;

/** Results are in the order of the names. A name that exists may still belong to a workload that is not served. */
export async function queryNames(database: Database, names: readonly Name[]): Promise<boolean[]> {
  const found = await Promise.all([
    existing(
      database,
      names.filter((name) => name.by === 'path'),
      pathsQuery,
    ),
    existing(
      database,
      names.filter((name) => name.by === 'host'),
      (asked) => hostsQuery('host_labels', asked),
    ),
    existing(
      database,
      names.filter((name) => name.by === 'preview'),
      (asked) => hostsQuery('preview_hosts', asked),
    ),
  ]);
  const all = new Set<Name>(found.flat());
  return names.map((name) => all.has(name));
}

/** `query` returns the positions of the names that exist, counted from one. */
async function existing<Asked extends Name>(
  database: Database,
  asked: readonly Asked[],
  query: (asked: readonly Asked[]) => RawBuilder<{ at: number }>,
): Promise<Asked[]> {
  if (asked.length === 0) return [];
  const places = new Set((await query(asked).execute(database)).rows.map(({ at }) => at - 1));
  return asked.filter((_, at) => places.has(at));
}

const hostsQuery = (table: 'host_labels' | 'preview_hosts', asked: readonly ByHost[]) => sql<{ at: number }>`
  select at::integer from unnest(${asked.map(({ region }) => region)}::text[], ${asked.map(({ label }) => label)}::text[])
    with ordinality as asked(region, label, at)
  where exists (select from ${sql.table(table)} known where known.region = asked.region and known.label = asked.label)`;

const pathsQuery = (asked: readonly ByPath[]) => sql<{ at: number }>`
  select at::integer from unnest(
      ${asked.map(({ workspace }) => workspaceIdIn(workspace))}::uuid[],
      ${asked.map(({ workspace }) => workspace)}::text[],
      ${asked.map(({ kind }) => kind)}::text[],
      ${asked.map(({ name }) => name)}::text[])
    with ordinality as asked(workspace_id, workspace, kind, name, at)
  where exists (
    select from workspaces join resources on resources.workspace_id = workspaces.id
    where (workspaces.id = asked.workspace_id or workspaces.name = asked.workspace)
      and resources.kind = asked.kind and resources.name = asked.name and ${liveResource('resources')}
      and resources.parent_uid = '00000000-0000-0000-0000-000000000000')`;
