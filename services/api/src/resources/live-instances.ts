import { type DatabaseTransaction, unendedInstance } from '@berth/database';

/**
 * True while any instance of the resource has not ended. The result stays valid while the caller holds the lock on the
 * resource's row.
 */
export async function hasLiveInstances(tx: DatabaseTransaction, resourceUid: string): Promise<boolean> {
  const instance = await tx
    .selectFrom('instances')
    .select('id')
    .where('resource_uid', '=', resourceUid)
    .where(unendedInstance())
    .limit(1)
    .executeTakeFirst();
  return instance !== undefined;
}
