import type { Kind } from '@berth/contract';
import { addToCount, releaseQuotaAndCount } from '@berth/database';
import type { WriteCall } from '../http/call.ts';
import { reserve } from './quota.ts';

/** Updates the account's limit, then the workspace's counter: the last two rows that a write locks. */
export async function count(
  call: WriteCall,
  kind: Kind,
  parentUid: string | undefined,
  difference: 1 | -1,
): Promise<void> {
  const { tx, workspace } = call;
  const counted = { workspaceId: workspace.id, kind: kind.kind, ...(parentUid === undefined ? {} : { parentUid }) };
  if (difference < 0) {
    await releaseQuotaAndCount(tx, { ...counted, accountId: workspace.account.id, resourceType: kind.quota });
    return;
  }
  if (kind.quota !== undefined) await reserve(call, kind.quota);
  await addToCount(tx, counted, 1);
}
