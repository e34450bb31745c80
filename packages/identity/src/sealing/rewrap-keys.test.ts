import { randomBytes } from 'node:crypto';
import { connect, type Database } from '@berth/database';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../engines/test-database.ts';
import { insertAccount, insertWorkspace } from '../../test/tenant-fixture.ts';
import { createKeyring } from './keyring.ts';
import { masterKeyRing } from './master-keys.ts';
import { rewrapKeys } from './rewrap-keys.ts';
import { seal, unseal } from './seal.ts';

const old = { id: 'old', key: randomBytes(32) };
const fresh = { id: 'fresh', key: randomBytes(32) };
const workspaceCount = 450;
let database: TestDatabase;
let db: Database;
let sealedByWorkspace: Map<string, string>;

beforeEach(async () => {
  database = await createTestDatabase();
  db = connect({ url: database.url });
  const accountId = await insertAccount(db);
  const keyring = createKeyring(masterKeyRing([old]));
  sealedByWorkspace = new Map();
  await db.transaction().execute(async (tx) => {
    for (let index = 0; index < workspaceCount; index += 1) {
      const workspaceId = await insertWorkspace(tx, accountId, `workspace-${index}`);
      await keyring.createWorkspaceKey(tx, workspaceId);
      const key = await keyring.workspaceKey(tx, workspaceId);
      sealedByWorkspace.set(workspaceId, seal(key, `secret ${index}`, workspaceId));
    }
  });
});

afterEach(async () => {
  await db.destroy();
  await database.drop();
});

async function expectAllReadable(keyring = createKeyring(masterKeyRing([fresh]))): Promise<void> {
  const read = await Promise.all(
    [...sealedByWorkspace].map(async ([id, sealed]) => unseal(await keyring.workspaceKey(db, id), sealed, id)),
  );
  expect(read).toEqual(Array.from({ length: workspaceCount }, (_, index) => `secret ${index}`));
}

test('after a rotation everything is readable without the old master key', async () => {
  const cursorKey = await createKeyring(masterKeyRing([old])).deploymentKey(db, 'cursor');
  const both = masterKeyRing([fresh, old]);
  expect(await rewrapKeys(db, both)).toEqual({ rewrapped: workspaceCount + 1 });
  await expectAllReadable();
  expect(await createKeyring(masterKeyRing([fresh])).deploymentKey(db, 'cursor')).toEqual(cursorKey);
  expect(await rewrapKeys(db, both)).toEqual({ rewrapped: 0 });
});

test('a stopped rotation continues where it stopped', async () => {
  // A row that refuses to change simulates a failure in the middle.
  const [, stuck] = [...sealedByWorkspace.keys()].slice(299, 301);
  await sql`
    create function refuse() returns trigger language plpgsql as $$
    begin if old.workspace_id::text = current_setting('berth.stuck', true) then raise 'stopped'; end if; return new; end $$`.execute(
    db,
  );
  await sql`create trigger refuse before update on workspace_keys for each row execute function refuse()`.execute(db);
  await sql`alter database ${sql.id(database.name)} set berth.stuck = ${sql.lit(stuck)}`.execute(db);
  const both = masterKeyRing([fresh, old]);
  const stopping = connect({ url: database.url });
  await expect(rewrapKeys(stopping, both)).rejects.toThrow('stopped');
  await stopping.destroy();

  const { left } = await db
    .selectFrom('workspace_keys')
    .select((eb) => eb.fn.countAll<number>().as('left'))
    .where('master_key_id', '=', 'old')
    .executeTakeFirstOrThrow();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(workspaceCount);
  await expectAllReadable(createKeyring(both));

  await sql`drop trigger refuse on workspace_keys`.execute(db);
  expect(await rewrapKeys(db, both)).toEqual({ rewrapped: left });
  await expectAllReadable();
});

test('two rotations at once rewrap every key once', async () => {
  const both = masterKeyRing([fresh, old]);
  const [one, two] = await Promise.all([rewrapKeys(db, both), rewrapKeys(db, both)]);
  expect(one.rewrapped + two.rewrapped).toBe(workspaceCount);
  await expectAllReadable();
});

test('a rotation without the old master key changes nothing, and its error names the key', async () => {
  await expect(rewrapKeys(db, masterKeyRing([fresh]))).rejects.toThrow(/master key old, which is not configured/);
  await expectAllReadable(createKeyring(masterKeyRing([old])));
});
