import type { DatabaseTransaction, Tables } from '@berth/database';
import type { Selectable } from 'kysely';

const rowColumns = [
  'uid',
  'workspace_id',
  'kind',
  'name',
  'spec',
  'state',
  'status',
  'generation',
  'created_at',
  'expires_at',
  'terminated_at',
] as const;
export type ResourceRow = Pick<Selectable<Tables['resources']>, (typeof rowColumns)[number]>;

/**
 * Undefined when the resource is gone. A resource whose workspace is gone is about to be removed and counts as gone.
 */
export async function lockResource(tx: DatabaseTransaction, uid: string): Promise<ResourceRow | undefined> {
  return tx
    .selectFrom('resources')
    .select(rowColumns)
    .where('uid', '=', uid)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('workspaces').select('id').whereRef('workspaces.id', '=', 'resources.workspace_id')),
    )
    .forUpdate()
    .executeTakeFirst();
}
