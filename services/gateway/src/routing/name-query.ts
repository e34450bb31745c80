// Checks which of many names exist. Anonymous callers may ask for any name, and most of those names are invented.
import { Uuid } from '@berth/contract';
import type { Database } from '@berth/database';
import { type RawBuilder, sql } from 'kysely';
import type { Named } from './route.ts';

type ByPath = Extract<Named, { by: 'path' }>;
type ByHost = Exclude<Named, ByPath>;

/** Results are in the order of the names. A name that exists may still belong to a workload that is not served. */
export async function queryNames(database: Database, names: readonly Named[]): Promise<boolean[]> {
  const found = await Promise.all([
    meaning(
      database,
      names.filter((named) => named.by === 'path'),
      pathsQuery,
    ),
    meaning(
      database,
      names.filter((named) => named.by === 'host'),
      (asked) => hostsQuery('host_labels', asked),
    ),
    meaning(
      database,
      names.filter((named) => named.by === 'preview'),
      (asked) => hostsQuery('preview_hosts', asked),
    ),
  ]);
  const all = new Set<Named>(found.flat());
  return names.map((named) => all.has(named));
}

/** `query` returns the positions of the names that exist, counted from one. */
async function meaning<Name extends Named>(
  database: Database,
  asked: readonly Name[],
  query: (asked: readonly Name[]) => RawBuilder<{ at: number }>,
): Promise<Name[]> {
  if (asked.length === 0) return [];
  const places = new Set((await query(asked).execute(database)).rows.map(({ at }) => at - 1));
  return asked.filter((_, at) => places.has(at));
}

const hostsQuery = (table: 'host_labels' | 'preview_hosts', asked: readonly ByHost[]) => sql<{ at: number }>`
  select at::integer from unnest(${asked.map(({ region }) => region)}::text[], ${asked.map(({ label }) => label)}::text[])
    with ordinality as asked(region, label, at)
  where exists (select from ${sql.table(table)} known where known.region = asked.region and known.label = asked.label)`;

/** A workspace name is at most 32 characters long, so it cannot be mistaken for an id. */
const pathsQuery = (asked: readonly ByPath[]) => sql<{ at: number }>`
  select at::integer from unnest(
      ${asked.map(({ workspace }) => (Uuid.safeParse(workspace).success ? workspace : null))}::uuid[],
      ${asked.map(({ workspace }) => workspace)}::text[],
      ${asked.map(({ kind }) => kind)}::text[],
      ${asked.map(({ name }) => name)}::text[])
    with ordinality as asked(workspace_id, workspace, kind, name, at)
  where exists (
    select from workspaces join resources on resources.workspace_id = workspaces.id
    where (workspaces.id = asked.workspace_id or workspaces.name = asked.workspace)
      and resources.kind = asked.kind and resources.name = asked.name and resources.terminated_at is null
      and resources.parent_uid = '00000000-0000-0000-0000-000000000000')`;
