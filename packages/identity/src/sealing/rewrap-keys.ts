// Rotation of the master key: data keys stay as they are, only their wrapping changes, so no sealed value is touched.
// Each batch is its own transaction and takes only keys that still need it: a stopped rotation continues when it is
// started again.
import type { Database, DatabaseTransaction } from '@berth/database';
import { deploymentKeyContext, workspaceKeyContext } from './key-contexts.ts';
import type { MasterKeyRing } from './master-keys.ts';

interface WrappedKey {
  readonly id: string;
  readonly context: string;
  readonly masterKeyId: string;
  readonly wrapped: Buffer;
}

interface KeyTable {
  /** Keys wrapped by a master key other than the current one, in the order of their ids. */
  readonly list: (db: Database, currentId: string, afterId: string | undefined, limit: number) => Promise<WrappedKey[]>;
  /** False when the row was changed since it was listed. */
  readonly replace: (
    tx: DatabaseTransaction,
    key: WrappedKey,
    by: { masterKeyId: string; wrapped: Buffer },
  ) => Promise<boolean>;
}

const batch = 200;

const workspaceKeys: KeyTable = {
  async list(db, currentId, afterId, limit) {
    const rows = await db
      .selectFrom('workspace_keys')
      .select(['workspace_id', 'master_key_id', 'wrapped'])
      .where('master_key_id', '<>', currentId)
      .$if(afterId !== undefined, (query) => query.where('workspace_id', '>', afterId ?? ''))
      .orderBy('workspace_id')
      .limit(limit)
      .execute();
    return rows.map(({ workspace_id: id, master_key_id: masterKeyId, wrapped }) => ({
      id,
      context: workspaceKeyContext(id),
      masterKeyId,
      wrapped,
    }));
  },
  async replace(tx, key, { masterKeyId, wrapped }) {
    const { numUpdatedRows } = await tx
      .updateTable('workspace_keys')
      .set({ master_key_id: masterKeyId, wrapped })
      .where('workspace_id', '=', key.id)
      .where('wrapped', '=', key.wrapped)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
};

const deploymentKeys: KeyTable = {
  async list(db, currentId, afterId, limit) {
    const rows = await db
      .selectFrom('deployment_keys')
      .select(['id', 'purpose', 'master_key_id', 'wrapped'])
      .where('master_key_id', '<>', currentId)
      .$if(afterId !== undefined, (query) => query.where('id', '>', afterId ?? ''))
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id, purpose, master_key_id: masterKeyId, wrapped }) => ({
      id,
      context: deploymentKeyContext(purpose),
      masterKeyId,
      wrapped,
    }));
  },
  async replace(tx, key, { masterKeyId, wrapped }) {
    const { numUpdatedRows } = await tx
      .updateTable('deployment_keys')
      .set({ master_key_id: masterKeyId, wrapped })
      .where('id', '=', key.id)
      .where('wrapped', '=', key.wrapped)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
};

export async function rewrapKeys(db: Database, ring: MasterKeyRing): Promise<{ rewrapped: number }> {
  let rewrapped = 0;
  for (const table of [workspaceKeys, deploymentKeys]) rewrapped += await rewrapTable(db, ring, table);
  return { rewrapped };
}

async function rewrapTable(db: Database, ring: MasterKeyRing, table: KeyTable): Promise<number> {
  let rewrapped = 0;
  let afterId: string | undefined;
  while (true) {
    const keys = await table.list(db, ring.currentId, afterId, batch);
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
    const data = ring.unwrap(key.masterKeyId, key.wrapped, key.context);
    if (await table.replace(tx, key, ring.wrap(data, key.context))) rewrapped += 1;
  }
  return rewrapped;
}
