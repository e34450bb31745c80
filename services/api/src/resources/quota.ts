import { resourceErrors } from '@berth/contract';
import { hasQuotaLeft, reserveQuota } from '@berth/database';
import { limitOf } from '@berth/instances';
import type { WriteCall } from '../http/call.ts';

type ReserveCall = Pick<WriteCall, 'tx' | 'workspace' | 'dependencies'>;

/**
 * Refuses early, before many rows are written, when the account's limit is exhausted. Takes no lock: `reserve` decides
 * at the end.
 */
export async function requireRoom(
  { tx, workspace: { account }, dependencies }: ReserveCall,
  resourceType: string,
  amount: number,
): Promise<void> {
  const limit = limitOf(account, dependencies.config, resourceType);
  if (await hasQuotaLeft(tx, { accountId: account.id, resourceType, limit, amount })) return;
  throw resourceErrors.quota_exceeded({ limit, resourceType });
}

/**
 * Takes an amount from a limit of the account, or refuses with the name of the limit. Call it at the end of a
 * transaction, because it locks the counter.
 */
export async function reserve(
  { tx, workspace: { account }, dependencies }: ReserveCall,
  resourceType: string,
  amount = 1,
): Promise<void> {
  const limit = limitOf(account, dependencies.config, resourceType);
  if (await reserveQuota(tx, { accountId: account.id, resourceType, limit, amount })) return;
  throw resourceErrors.quota_exceeded({ limit, resourceType });
}
