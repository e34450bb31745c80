// Keeps the rows of a resource's paths in step with its spec, in the transaction that writes the resource.
import type { TriggeredKind } from '@berth/contract';
import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { sql } from 'kysely';
import { type PathTrigger, pathTriggersOf } from './path-triggers.ts';

interface WrittenResource {
  readonly uid: string;
  readonly workspaceId: string;
  readonly kind: TriggeredKind;
  /** The stored spec. */
  readonly spec: JsonObject;
}

/** A path of the resource that cannot be stored, and the resource that has it. */
export interface TakenPath {
  readonly path: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * Returns a path that is taken in the workspace; the caller then refuses the write. The caller holds the row of the resource.
 * Deleting the resource deletes the rows.
 */
export async function writeTriggerPaths(
  tx: DatabaseTransaction,
  written: WrittenResource,
): Promise<TakenPath | undefined> {
  const wanted = pathTriggersOf(written.kind, written.spec);
  const paths = wanted.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) return { path: twice, ...(await holder(tx, written.uid)) };
  // An array instead of a list, because a prepared statement would be kept for each number of triggers.
  await sql`delete from trigger_paths where resource_uid = ${written.uid} and path <> all(${paths}::text[])`.execute(
    tx,
  );
  if (wanted.length === 0) return undefined;
  const stored = await upsert(tx, written, wanted);
  const taken = paths.find((path) => !stored.has(path));
  return taken === undefined ? undefined : { path: taken, ...(await holder(tx, await uidAt(tx, written, taken))) };
}

/**
 * Paths that now belong to the resource. Rows of other resources stay as they are, and are locked by the conflict, so that
 * they can be named afterwards. Sorted, so that two writers take the same rows in the same order.
 */
async function upsert(
  tx: DatabaseTransaction,
  { workspaceId, uid }: WrittenResource,
  wanted: readonly PathTrigger[],
): Promise<Set<string>> {
  const { rows } = await sql<{ path: string }>`
    insert into trigger_paths as known (workspace_id, path, resource_uid, trigger_id, is_enabled, is_public, is_async)
    select ${workspaceId}::uuid, path, ${uid}::uuid, trigger_id, is_enabled, is_public, is_async
    from unnest(${wanted.map(({ path }) => path)}::text[], ${wanted.map(({ stored }) => stored.id)}::text[],
      ${wanted.map(({ isEnabled }) => isEnabled)}::boolean[], ${wanted.map(({ isPublic }) => isPublic)}::boolean[],
      ${wanted.map(({ isAsync }) => isAsync)}::boolean[])
      as wanted (path, trigger_id, is_enabled, is_public, is_async)
    order by path
    on conflict (workspace_id, path) do update
      set trigger_id = excluded.trigger_id, is_enabled = excluded.is_enabled, is_public = excluded.is_public,
        is_async = excluded.is_async
      where known.resource_uid = excluded.resource_uid
    returning path`.execute(tx);
  return new Set(rows.map(({ path }) => path));
}

async function uidAt(tx: DatabaseTransaction, { workspaceId }: WrittenResource, path: string): Promise<string> {
  const row = await tx
    .selectFrom('trigger_paths')
    .select('resource_uid')
    .where('workspace_id', '=', workspaceId)
    .where('path', '=', path)
    .executeTakeFirstOrThrow();
  return row.resource_uid;
}

const holder = (tx: DatabaseTransaction, uid: string) =>
  tx.selectFrom('resources').select(['kind', 'name']).where('uid', '=', uid).executeTakeFirstOrThrow();
