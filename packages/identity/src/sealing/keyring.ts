// Data keys are stored in Postgres, wrapped by a master key, and unwrapped in memory. Only keys from committed rows are
// cached: a key read inside a transaction that rolls back would stay in the cache without a row, and everything sealed
// with it would be lost.
import { randomBytes } from 'node:crypto';
import { BoundedMap } from '@berth/concurrency';
import type { Database, DatabaseTransaction } from '@berth/database';
import { keyBytes } from './cipher.ts';
import { loadDeploymentKey } from './deployment-key.ts';
import { workspaceKeyContext } from './key-contexts.ts';
import type { MasterKeyRing } from './master-keys.ts';

export interface Keyring {
  workspaceKey(db: Database | DatabaseTransaction, workspaceId: string): Promise<Buffer>;
  createWorkspaceKey(tx: DatabaseTransaction, workspaceId: string): Promise<void>;
  deploymentKey(db: Database, purpose: 'cursor' | 'idempotency' | 'runner-calls' | 'budgets'): Promise<Buffer>;
  forget(workspaceId: string): void;
}

const maxCachedKeys = 10_000;

export function createKeyring(ring: MasterKeyRing): Keyring {
  const workspaceKeys = new BoundedMap<Promise<Buffer>>(maxCachedKeys);
  const deploymentKeys = new BoundedMap<Promise<Buffer>>(maxCachedKeys);
  return {
    workspaceKey: (db, workspaceId) =>
      cached(workspaceKeys, db, workspaceId, () => loadWorkspaceKey(db, ring, workspaceId)),
    async createWorkspaceKey(tx, workspaceId) {
      const { masterKeyId, wrapped } = ring.wrap(randomBytes(keyBytes), workspaceKeyContext(workspaceId));
      await tx
        .insertInto('workspace_keys')
        .values({ workspace_id: workspaceId, master_key_id: masterKeyId, wrapped })
        .onConflict((conflict) => conflict.column('workspace_id').doNothing())
        .execute();
    },
    deploymentKey: (db, purpose) =>
      cached(deploymentKeys, db, purpose, async () => {
        const { secret } = await loadDeploymentKey(db, ring, purpose, () => ({ secret: randomBytes(keyBytes) }));
        return secret;
      }),
    forget: (workspaceId) => workspaceKeys.delete(workspaceId),
  };
}

async function loadWorkspaceKey(
  db: Database | DatabaseTransaction,
  ring: MasterKeyRing,
  workspaceId: string,
): Promise<Buffer> {
  const stored = await db
    .selectFrom('workspace_keys')
    .select(['master_key_id', 'wrapped'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  if (stored === undefined) throw new Error(`Workspace ${workspaceId} has no data key. Finish its creation first.`);
  return ring.unwrap(stored.master_key_id, stored.wrapped, workspaceKeyContext(workspaceId));
}

function cached(
  keys: BoundedMap<Promise<Buffer>>,
  db: Database | DatabaseTransaction,
  id: string,
  load: () => Promise<Buffer>,
): Promise<Buffer> {
  const known = keys.get(id);
  if (known !== undefined) return known;
  const loading = load();
  if (db.isTransaction) return loading;
  keys.set(id, loading);
  // A failed load is cleared, so that the next call tries again.
  loading.catch(() => {
    if (keys.get(id) === loading) keys.delete(id);
  });
  return loading;
}
