// Rotation of the master key: data keys stay as they are, only their wrapping changes, so no sealed value is touched.
// Each batch is its own transaction and takes only keys that still need it: a stopped rotation continues when it is
// started again.
import type { Database, DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import { type KeyTable, keyTables } from './key-tables.ts';
import type { MasterKeyRing } from './master-keys.ts';

interface WrappedKey {
  readonly id: string;
  /** Workspace or purpose that the wrapping is bound to. */
  readonly owner: string;
  readonly masterKeyId: string;
  readonly wrapped: Buffer;
}

const batchSize = 200;

/** Keys wrapped by a master key other than the current one, in the order of their ids. */
async function listKeys(
  db: Database,
  { name, id, owner }: KeyTable,
  currentId: string,
  afterId: string | undefined,
): Promise<WrappedKey[]> {
  const isLater = afterId === undefined ? sql`true` : sql`${id} > ${afterId}`;
  const { rows } = await sql<WrappedKey>`
    select ${id} as id, ${owner} as owner, master_key_id as "masterKeyId", wrapped from ${name}
    where master_key_id <> ${currentId} and ${isLater} order by ${id} limit ${batchSize}`.execute(db);
  return rows;
}

/** False when the row was changed since it was listed. */
async function replaceKey(
  tx: DatabaseTransaction,
  { name, id }: KeyTable,
  key: WrappedKey,
  by: { masterKeyId: string; wrapped: Buffer },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update ${name} set master_key_id = ${by.masterKeyId}, wrapped = ${by.wrapped}
    where ${id} = ${key.id} and wrapped = ${key.wrapped}`.execute(tx);
  return numAffectedRows > 0n;
}

export async function rewrapKeys(db: Database, ring: MasterKeyRing): Promise<{ rewrapped: number }> {
  let rewrapped = 0;
  for (const table of keyTables) rewrapped += await rewrapTable(db, ring, table);
  return { rewrapped };
}

async function rewrapTable(db: Database, ring: MasterKeyRing, table: KeyTable): Promise<number> {
  let rewrapped = 0;
  let afterId: string | undefined;
  while (true) {
    const keys = await listKeys(db, table, ring.currentId, afterId);
    const last = keys.at(-1);
    if (last === undefined) return rewrapped;
    rewrapped += await db.transaction().execute((tx) => rewrapBatch(tx, ring, table, keys));
    afterId = last.id;
  }
}

async function rewrapBatch(
  tx: DatabaseTransaction,
  ring: MasterKeyRing,
  table: KeyTable,
  keys: readonly WrappedKey[],
): Promise<number> {
  let rewrapped = 0;
  for (const key of keys) {
    const context = table.contextOf(key.owner);
    const data = ring.unwrap(key.masterKeyId, key.wrapped, context);
    if (await replaceKey(tx, table, key, ring.wrap(data, context))) rewrapped += 1;
  }
  return rewrapped;
}
