import type { DatabaseTransaction } from '@berth/database';

/** Whether anything of the resource runs or is still to be removed. Stays true while the caller holds the resource's row. */
export async function hasLiveInstances(tx: DatabaseTransaction, resourceUid: string): Promise<boolean> {
  const instance = await tx
    .selectFrom('instances')
    .select('id')
    .where('resource_uid', '=', resourceUid)
    .where('ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return instance !== undefined;
}
