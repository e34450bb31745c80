// The end of a deletion: the record goes, and with it the name, the events' owner and what it held of the account's limit.
import { kinds } from '@berth/contract';
import { addToCount, type DatabaseTransaction, releaseQuota } from '@berth/database';
import type { Loaded } from './load.ts';

/** Counters last, the account's before the workspace's: the order in which every writer takes them. */
export async function removeResource(tx: DatabaseTransaction, { workload, accountId }: Loaded): Promise<void> {
  const { uid, kind, workspace } = workload;
  await tx.deleteFrom('workload_demand').where('resource_uid', '=', uid).execute();
  await tx.deleteFrom('resources').where('uid', '=', uid).execute();
  const quota = kinds.find((declared) => declared.kind === kind)?.quota;
  if (quota !== undefined) await releaseQuota(tx, accountId, quota);
  await addToCount(tx, { workspaceId: workspace.id, kind }, -1);
}
