// Checks which of many names exist. Anonymous callers may ask for any name, and most of those names are invented.
import { Uuid } from '@berth/contract';
import { type Database, liveResource } from '@berth/database';
import { type RawBuilder, sql } from 'kysely';
import type { Route } from './route.ts';

type ByPath = Extract<Route, { by: 'path' }>;
type ByHost = Exclude<Route, ByPath>;

/** Results are in the order of the names. A name that exists may still belong to a workload that is not served. */
export async function queryNames(database: Database, names: readonly Route[]): Promise<boolean[]> {
  const found = await Promise.all([
    existing(
      database,
      names.filter((route) => route.by === 'path'),
      pathsQuery,
    ),
    existing(
      database,
      names.filter((route) => route.by === 'host'),
      (asked) => hostsQuery('host_labels', asked),
    ),
    existing(
      database,
      names.filter((route) => route.by === 'preview'),
      (asked) => hostsQuery('preview_hosts', asked),
    ),
  ]);
  const all = new Set<Route>(found.flat());
  return names.map((route) => all.has(route));
}

/** `query` returns the positions of the names that exist, counted from one. */
async function existing<Name extends Route>(
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
      and resources.kind = asked.kind and resources.name = asked.name and ${liveResource('resources')}
      and resources.parent_uid = '00000000-0000-0000-0000-000000000000')`;
