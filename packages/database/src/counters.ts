// Counters and limits. A transaction locks both rows last, the account's limit before the workspace's counter. Every
// writer of a workspace passes through them, so they are held only for the moment of the commit.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './connect.ts';
import { nilUuid } from './uuid.ts';

export interface Reservation {
  readonly accountId: string;
  readonly resourceType: string;
  readonly limit: number;
  /** 1 by default. */
  readonly amount?: number;
}

/** Whether the amount is left now. Takes no lock: `reserveQuota` decides at the end of the transaction. */
export async function hasQuotaLeft(
  database: Database,
  { accountId, resourceType, limit, amount = 1 }: Reservation,
): Promise<boolean> {
  const counter = await database
    .selectFrom('quota_usage')
    .select('used')
    .where('account_id', '=', accountId)
    .where('resource_type', '=', resourceType)
    .executeTakeFirst();
  return (counter?.used ?? 0) + amount <= limit;
}

/** Takes from the account's limit; false when not enough is left. */
export async function reserveQuota(
  tx: DatabaseTransaction,
  { accountId, resourceType, limit, amount = 1 }: Reservation,
): Promise<boolean> {
  if (limit < amount) return false;
  const taken = await sql`
    insert into quota_usage as usage (account_id, resource_type, used) values (${accountId}, ${resourceType}, ${amount})
    on conflict (account_id, resource_type) do update set used = usage.used + ${amount} where usage.used + ${amount} <= ${limit}
    returning used`.execute(tx);
  return taken.rows.length === 1;
}

/** Does not go below zero: resources from before their kind had a limit may not have been counted. */
export async function releaseQuota(
  tx: DatabaseTransaction,
  accountId: string,
  resourceType: string,
  count = 1,
): Promise<void> {
  await sql`update quota_usage set used = greatest(0, used - ${count}) where account_id = ${accountId} and resource_type = ${resourceType}`.execute(
    tx,
  );
}

/** Quota and count held by removed resources. */
export interface HeldQuota extends Counted {
  readonly accountId: string;
  /** Undefined when the kind has no limit. */
  readonly resourceType: string | undefined;
  /** 1 by default. */
  readonly amount?: number;
}

/**
 * Releases the account's limit, then the workspace's counter. The deletion of a workspace releases everything with the
 * workspace's row locked. So this function locks the row too, and releases nothing when the row is gone.
 */
export async function releaseQuotaAndCount(tx: DatabaseTransaction, held: HeldQuota): Promise<void> {
  const { accountId, resourceType, amount = 1 } = held;
  const workspace = await sql`select id from workspaces where id = ${held.workspaceId} for key share`.execute(tx);
  if (workspace.rows.length === 0) return;
  if (resourceType !== undefined) await releaseQuota(tx, accountId, resourceType, amount);
  await addToCount(tx, held, -amount);
}

export interface Counted {
  readonly workspaceId: string;
  readonly kind: string;
  readonly parentUid?: string;
}

export async function addToCount(tx: DatabaseTransaction, counted: Counted, difference: number): Promise<void> {
  const { workspaceId, kind, parentUid = nilUuid } = counted;
  // A decrement never inserts: the row is there since the first resource of the kind.
  if (difference < 0) {
    await sql`update resource_counts set live = live + ${difference}
      where workspace_id = ${workspaceId} and kind = ${kind} and parent_uid = ${parentUid}`.execute(tx);
    return;
  }
  await sql`
    insert into resource_counts as counts (workspace_id, kind, parent_uid, live) values (${workspaceId}, ${kind}, ${parentUid}, ${difference})
    on conflict (workspace_id, kind, parent_uid) do update set live = counts.live + ${difference}`.execute(tx);
}
