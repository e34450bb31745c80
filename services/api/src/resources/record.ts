// Stored resources, and the two queries that find one. The status is computed at read time: a row past `expires_at` is
// TERMINATED.
import { type Kind, requestErrors } from '@berth/contract';
import { type Database, type DatabaseTransaction, liveResource, nilUuid, type Tables } from '@berth/database';
import type { Selectable } from 'kysely';
import { isLive, shownStatus } from './terminated.ts';

export type ResourceRow = Omit<Selectable<Tables['resources']>, 'search'>;

export const resourceColumns = [
  'uid',
  'workspace_id',
  'kind',
  'parent_uid',
  'name',
  'display_name',
  'external_id',
  'labels',
  'spec',
  'state',
  shownStatus.as('status'),
  'generation',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'terminated_at',
  'expires_at',
] as const;

interface Scope {
  readonly workspaceId: string;
  readonly kind: string;
  readonly parentUid?: string;
}

export async function findLive(
  database: Database,
  { workspaceId, kind, parentUid = nilUuid }: Scope,
  name: string,
): Promise<ResourceRow | undefined> {
  return byName(database, workspaceId, kind, parentUid, name).where(isLive).executeTakeFirst();
}

/**
 * Locks the row until the transaction ends, so that a decision based on it still holds when it is written. An expired
 * row is found too, as TERMINATED: it keeps the name until its end is written.
 */
export async function lockLive(
  tx: DatabaseTransaction,
  { workspaceId, kind, parentUid = nilUuid }: Scope,
  name: string,
): Promise<ResourceRow | undefined> {
  return byName(tx, workspaceId, kind, parentUid, name).forUpdate().executeTakeFirst();
}

const byName = (database: Database, workspaceId: string, kind: string, parentUid: string, name: string) =>
  database
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('parent_uid', '=', parentUid)
    .where('name', '=', name)
    .where(liveResource());

/** Resolves the parents named in the path, outermost first; a missing parent means a missing resource. */
export async function findParent(
  database: Database,
  workspaceId: string,
  kind: Kind,
  params: Readonly<Record<string, string>>,
): Promise<{ readonly uid: string; readonly rows: readonly ResourceRow[] }> {
  const rows: ResourceRow[] = [];
  for (const parent of kind.parents ?? []) {
    const parentUid = rows.at(-1)?.uid ?? nilUuid;
    const row = await findLive(database, { workspaceId, kind: parent.kind, parentUid }, params[parent.param] ?? '');
    if (row === undefined) throw requestErrors.not_found();
    rows.push(row);
  }
  return { uid: rows.at(-1)?.uid ?? nilUuid, rows };
}
