// The end of a deletion: the record goes, and with it the name, the events' owner and what it held of the account's limit.
import { kinds } from '@berth/contract';
import { type DatabaseTransaction, giveBack } from '@berth/database';
import type { Loaded } from './load.ts';

/** Counters last, as every writer takes them. */
export async function removeResource(tx: DatabaseTransaction, { workload, accountId }: Loaded): Promise<void> {
  const { uid, kind, workspace } = workload;
  await tx.deleteFrom('workload_demand').where('resource_uid', '=', uid).execute();
  await tx.deleteFrom('resources').where('uid', '=', uid).execute();
  const resourceType = kinds.find((declared) => declared.kind === kind)?.quota;
  await giveBack(tx, { workspaceId: workspace.id, kind, accountId, resourceType });
}
