// Stored workspaces, and their form for clients.
import { requestErrors } from '@berth/contract';
import type { Database, DatabaseTransaction, Tables } from '@berth/database';
import type { Selectable } from 'kysely';

export type WorkspaceRow = Omit<Selectable<Tables['workspaces']>, 'hipaa'>;

export const workspaceColumns = [
  'id',
  'account_id',
  'name',
  'display_name',
  'region',
  'labels',
  'group_mappings',
  'runtime',
  'status',
  'status_reason',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const;

export async function loadWorkspace(database: Database | DatabaseTransaction, id: string): Promise<WorkspaceRow> {
  const row = await database.selectFrom('workspaces').select(workspaceColumns).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  return row;
}

/**
 * Serializes changes of a workspace and of its members: two admins who leave at once must not each count on the other
 * to stay. Writers of resources are not blocked.
 */
export async function lockWorkspace(tx: DatabaseTransaction, id: string): Promise<WorkspaceRow> {
  const row = await tx
    .selectFrom('workspaces')
    .select(workspaceColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  return row;
}

export function renderWorkspace(row: WorkspaceRow) {
  return {
    id: row.id,
    name: row.name,
    accountId: row.account_id,
    ...(row.display_name === null ? {} : { displayName: row.display_name }),
    ...(row.region === null ? {} : { region: row.region }),
    labels: row.labels,
    groupMappings: row.group_mappings,
    runtime: row.runtime,
    // Always false: there is no compliance add-on.
    hipaaInfo: { accountEnabled: false },
    status: row.status,
    ...(row.status_reason === null ? {} : { statusReason: row.status_reason }),
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
  };
}
