// Keeps the rows of a job's paths in step with its spec, in the transaction that writes the job.
import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import { type HttpTrigger, httpTriggersOf } from './http-triggers.ts';
import type { WrittenJob } from './written-job.ts';

/** A path of the job that cannot be stored, and the resource that has it. */
export interface TakenPath {
  readonly path: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * Returns a path that is taken in the workspace; the caller then refuses the write. The caller holds the job's row.
 * Deleting the job deletes the rows.
 */
export async function writeTriggerPaths(tx: DatabaseTransaction, job: WrittenJob): Promise<TakenPath | undefined> {
  const wanted = httpTriggersOf(job.spec);
  const paths = wanted.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) return { path: twice, ...(await holder(tx, job.uid)) };
  // An array instead of a list, because a prepared statement would be kept for each number of triggers.
  await sql`delete from trigger_paths where resource_uid = ${job.uid} and path <> all(${paths}::text[])`.execute(tx);
  if (wanted.length === 0) return undefined;
  const written = await upsert(tx, job, wanted);
  const taken = paths.find((path) => !written.has(path));
  return taken === undefined ? undefined : { path: taken, ...(await holder(tx, await uidAt(tx, job, taken))) };
}

/**
 * Paths that now belong to the job. Rows of other resources stay as they are, and are locked by the conflict, so that
 * they can be named afterwards. Sorted, so that two writers take the same rows in the same order.
 */
async function upsert(tx: DatabaseTransaction, job: WrittenJob, wanted: readonly HttpTrigger[]): Promise<Set<string>> {
  const { rows } = await sql<{ path: string }>`
    insert into trigger_paths as known (workspace_id, path, resource_uid, trigger_id, is_enabled, is_public)
    select ${job.workspaceId}::uuid, path, ${job.uid}::uuid, trigger_id, is_enabled, is_public
    from unnest(${wanted.map(({ path }) => path)}::text[], ${wanted.map(({ id }) => id)}::text[],
      ${wanted.map(({ isEnabled }) => isEnabled)}::boolean[], ${wanted.map(({ isPublic }) => isPublic)}::boolean[])
      as wanted (path, trigger_id, is_enabled, is_public)
    order by path
    on conflict (workspace_id, path) do update
      set trigger_id = excluded.trigger_id, is_enabled = excluded.is_enabled, is_public = excluded.is_public
      where known.resource_uid = excluded.resource_uid
    returning path`.execute(tx);
  return new Set(rows.map(({ path }) => path));
}

async function uidAt(tx: DatabaseTransaction, { workspaceId }: WrittenJob, path: string): Promise<string> {
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
