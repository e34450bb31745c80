// Computes how many more instances an account may have. The usage is summed from the rows of its live instances, never
// from a counter: however an instance ends, its share is free as soon as its row has ended. Sleeping sandboxes count,
// since their runner keeps their memory reserved; a task that has ended and waits for its removal does not. Every
// placement locks the account's row first, then the runners' rows, so placements of one account run one after the other
// and placements of other accounts do not wait.
import { type Database, type DatabaseTransaction, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import { type LimitedAccount, type LimitSettings, limitOf, unlimited } from './account-limits.ts';

export interface AccountUsage {
  readonly instances: number;
  readonly memoryMb: number;
}

export interface Room {
  /** Number of further instances of the requested size. */
  readonly count: number;
  /** The limit that caps `count`. */
  readonly limit: { readonly resourceType: 'instances' | 'memory_mb'; readonly limit: number };
}

/** Pure. An account that holds more than a lowered limit keeps what it has and gets nothing new. */
export function roomFor(
  held: AccountUsage,
  account: LimitedAccount,
  settings: LimitSettings,
  reservedMb: number,
): Room {
  const instances = limitOf(account, settings, 'instances');
  const memoryMb = limitOf(account, settings, 'memory_mb');
  const byCount = Math.max(0, instances - held.instances);
  const byMemory = reservedMb === 0 ? unlimited : Math.max(0, Math.floor((memoryMb - held.memoryMb) / reservedMb));
  return byMemory < byCount
    ? { count: byMemory, limit: { resourceType: 'memory_mb', limit: memoryMb } }
    : { count: byCount, limit: { resourceType: 'instances', limit: instances } };
}

/**
 * Locks the account: until the transaction ends no other placement for it runs. `own` is what
 * this transaction already holds.
 */
export async function lockRoom(
  tx: DatabaseTransaction,
  accountId: string,
  settings: LimitSettings,
  reservedMb: number,
  own: AccountUsage = { instances: 0, memoryMb: 0 },
): Promise<Room> {
  const account = await tx
    .selectFrom('accounts')
    .select(['tier', 'quotas'])
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  // A separate statement, because it must see what the previous holder of the lock committed.
  const held = await loadAccountUsage(tx, accountId);
  const others = { instances: held.instances - own.instances, memoryMb: held.memoryMb - own.memoryMb };
  return roomFor(others, account, settings, reservedMb);
}

export async function loadAccountUsage(tx: Database, accountId: string): Promise<AccountUsage> {
  const { rows } = await sql<AccountUsage>`
    select count(*)::int as instances, coalesce(sum(reserved_mb), 0)::int as "memoryMb"
    from instances where account_id = ${accountId} and ${unendedInstance()} and result is null`.execute(tx);
  return rows[0] ?? { instances: 0, memoryMb: 0 };
}

/**
 * Tells the user why an instance does not start. The text is always the same, so that the event is written only once.
 */
export const limitMessage = ({ limit: { limit, resourceType } }: Room): string =>
  `The account limit of ${limit} for ${resourceType} is reached, so no further instance starts. ` +
  'Delete or scale down some, or ask the operator to raise it.';
