// Last step of a deletion: deletes the record, which frees the name and the resource's share of the account's limit.
import { kinds } from '@berth/contract';
import { type DatabaseTransaction, releaseQuotaAndCount } from '@berth/database';
import type { LoadedDeployment } from './load.ts';

/** Counters last, in the lock order of every writer. */
export async function removeResource(
  tx: DatabaseTransaction,
  { workload, accountId }: LoadedDeployment,
): Promise<void> {
  const { uid, kind, workspace } = workload;
  await tx.deleteFrom('workload_demand').where('resource_uid', '=', uid).execute();
  await tx.deleteFrom('resources').where('uid', '=', uid).execute();
  const resourceType = kinds.find((declared) => declared.kind === kind)?.quota;
  await releaseQuotaAndCount(tx, { workspaceId: workspace.id, kind, accountId, resourceType });
}
