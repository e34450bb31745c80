import { randomBytes } from 'node:crypto';
import { connect, type Database, uuidv7 } from '@berth/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../engines/test-database.ts';
import { insertAccount, insertWorkspace } from '../../test/tenant-fixture.ts';
import { createKeyring } from './keyring.ts';
import { masterKeyRing } from './master-keys.ts';
import { seal, unseal } from './seal.ts';

const ring = masterKeyRing([{ id: 'first', key: randomBytes(32) }]);
let database: TestDatabase;
let db: Database;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connect({ url: database.url });
  accountId = await insertAccount(db);
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test('every server opens the same workspace key', async () => {
  const workspaceId = await insertWorkspace(db, accountId, 'shared');
  const keyring = createKeyring(ring);
  await db.transaction().execute((tx) => keyring.createWorkspaceKey(tx, workspaceId));
  const sealed = seal(await keyring.workspaceKey(db, workspaceId), 'a secret', 'env.TOKEN');
  expect(unseal(await createKeyring(ring).workspaceKey(db, workspaceId), sealed, 'env.TOKEN')).toBe('a secret');
});

test('creating a workspace key again leaves the first one', async () => {
  const workspaceId = await insertWorkspace(db, accountId, 'again');
  const keyring = createKeyring(ring);
  await db.transaction().execute((tx) => keyring.createWorkspaceKey(tx, workspaceId));
  const first = await keyring.workspaceKey(db, workspaceId);
  await db.transaction().execute((tx) => keyring.createWorkspaceKey(tx, workspaceId));
  expect(await createKeyring(ring).workspaceKey(db, workspaceId)).toEqual(first);
});

test('two workspaces never share a key, and a key does not open in the row of another', async () => {
  const keyring = createKeyring(ring);
  const [one, two] = [await insertWorkspace(db, accountId, 'one'), await insertWorkspace(db, accountId, 'two')];
  await db.transaction().execute(async (tx) => {
    await keyring.createWorkspaceKey(tx, one);
    await keyring.createWorkspaceKey(tx, two);
  });
  expect(await keyring.workspaceKey(db, one)).not.toEqual(await keyring.workspaceKey(db, two));
  const { wrapped } = await db
    .selectFrom('workspace_keys')
    .select('wrapped')
    .where('workspace_id', '=', one)
    .executeTakeFirstOrThrow();
  await db.updateTable('workspace_keys').set({ wrapped }).where('workspace_id', '=', two).execute();
  await expect(createKeyring(ring).workspaceKey(db, two)).rejects.toThrow(/does not open/);
});

test('a workspace without a key is refused, and found as soon as it has one', async () => {
  const workspaceId = await insertWorkspace(db, accountId, 'late');
  const keyring = createKeyring(ring);
  await expect(keyring.workspaceKey(db, workspaceId)).rejects.toThrow(/has no data key/);
  await db.transaction().execute((tx) => keyring.createWorkspaceKey(tx, workspaceId));
  expect(await keyring.workspaceKey(db, workspaceId)).toHaveLength(32);
});

test('a key of a rolled-back transaction is not cached', async () => {
  const workspaceId = await insertWorkspace(db, accountId, 'rolled-back');
  const keyring = createKeyring(ring);
  let lost: Buffer | undefined;
  const failing = db.transaction().execute(async (tx) => {
    await keyring.createWorkspaceKey(tx, workspaceId);
    lost = await keyring.workspaceKey(tx, workspaceId);
    throw new Error('undo');
  });
  await expect(failing).rejects.toThrow('undo');
  await db.transaction().execute((tx) => keyring.createWorkspaceKey(tx, workspaceId));
  const kept = await keyring.workspaceKey(db, workspaceId);
  expect(kept).not.toEqual(lost);
  expect(kept).toEqual(await createKeyring(ring).workspaceKey(db, workspaceId));
});

test('a forgotten key is read again', async () => {
  const workspaceId = await insertWorkspace(db, accountId, 'forgotten');
  const keyring = createKeyring(ring);
  await db.transaction().execute((tx) => keyring.createWorkspaceKey(tx, workspaceId));
  await keyring.workspaceKey(db, workspaceId);
  await db.deleteFrom('workspace_keys').where('workspace_id', '=', workspaceId).execute();
  expect(await keyring.workspaceKey(db, workspaceId)).toHaveLength(32);
  keyring.forget(workspaceId);
  await expect(keyring.workspaceKey(db, workspaceId)).rejects.toThrow(/has no data key/);
});

test('servers that race for a deployment key end with the same key', async () => {
  for (let round = 0; round < 10; round += 1) {
    await db.deleteFrom('deployment_keys').execute();
    const servers = Array.from({ length: 8 }, () => createKeyring(ring));
    const keys = await Promise.all(servers.map((keyring) => keyring.deploymentKey(db, 'cursor')));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  }
  const keyring = createKeyring(ring);
  expect(await keyring.deploymentKey(db, 'cursor')).not.toEqual(await keyring.deploymentKey(db, 'idempotency'));
});

test('a stored key is never the key itself', async () => {
  const keyring = createKeyring(ring);
  const workspaceId = await insertWorkspace(db, accountId, `plain-${uuidv7().slice(-8)}`);
  await db.transaction().execute((tx) => keyring.createWorkspaceKey(tx, workspaceId));
  const key = await keyring.workspaceKey(db, workspaceId);
  const rows = await db.selectFrom('workspace_keys').select('wrapped').execute();
  for (const { wrapped } of rows) expect(wrapped.includes(key)).toBe(false);
});
