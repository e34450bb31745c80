import { randomBytes } from 'node:crypto';
import { defaultBrand } from '@berth/contract';
import { connect, type Database, uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../engines/test-database.ts';
import { createAuthenticator } from '../keys/authenticator.ts';
import { createKeyring } from '../sealing/keyring.ts';
import { masterKeyRing } from '../sealing/master-keys.ts';
import { createUser } from './create-user.ts';
import { firstRun } from './first-run.ts';

const keyring = () => createKeyring(masterKeyRing([{ id: 'first', key: randomBytes(32) }]));
const input = { email: ' Ada@Example.com ', accountName: 'Acme', tier: 'tier-1', plan: 'free' };
let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await createTestDatabase();
  db = connect({ url: database.url });
});

afterEach(async () => {
  await db.destroy();
  await database.drop();
});

test('the first run makes an account whose admin can call at once', async () => {
  const { accountId, userId, apiKey } = await firstRun(db, keyring(), defaultBrand, input);
  expect(await createAuthenticator(db).authenticate(apiKey)).toMatchObject({
    subject: userId,
    email: 'ada@example.com',
    memberships: [],
    accounts: [{ accountId, role: 'admin' }],
  });
});

test('a second first run is refused and changes nothing', async () => {
  const keys = keyring();
  await firstRun(db, keys, defaultBrand, input);
  const again = firstRun(db, keys, defaultBrand, { ...input, email: 'eve@example.com' });
  await expect(again).rejects.toThrow(/has an account already/);
  expect(await db.selectFrom('users').select('email').execute()).toEqual([{ email: 'ada@example.com' }]);
});

test('of concurrent first runs exactly one succeeds', async () => {
  const keys = keyring();
  const runs = ['a', 'b', 'c', 'd'].map((name) =>
    firstRun(db, keys, defaultBrand, { ...input, email: `${name}@example.com` }),
  );
  const results = await Promise.allSettled(runs);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await db.selectFrom('accounts').select('id').execute()).toHaveLength(1);
});

test('a first run with a master key that does not open the stored keys makes nothing', async () => {
  await keyring().deploymentKey(db, 'cursor');
  await expect(firstRun(db, keyring(), defaultBrand, input)).rejects.toThrow(/master key first/);
  expect(await db.selectFrom('users').select('id').execute()).toEqual([]);
});

test('only the hash of a key is stored', async () => {
  const { apiKey } = await firstRun(db, keyring(), defaultBrand, input);
  const { rows } = await sql<{ text: string }>`select api_keys::text as text from api_keys`.execute(db);
  expect(rows).toHaveLength(1);
  const [, random] = apiKey.split('_');
  for (const form of [apiKey, random, Buffer.from(apiKey).toString('hex'), Buffer.from(apiKey).toString('base64')]) {
    expect(rows[0]?.text).not.toContain(form);
  }
});

test('an operator adds a user to an account, as a member unless told otherwise', async () => {
  const { accountId } = await firstRun(db, keyring(), defaultBrand, input);
  const member = await createUser(db, defaultBrand, { email: 'bob@example.com', accountId });
  const admin = await createUser(db, defaultBrand, { email: 'cy@example.com', accountId, accountRole: 'admin' });
  const outsider = await createUser(db, defaultBrand, { email: 'dee@example.com' });
  const authenticator = createAuthenticator(db);
  const accounts = async (key: string) => (await authenticator.authenticate(key))?.accounts;
  expect(await accounts(member.apiKey)).toEqual([{ accountId, role: 'member' }]);
  expect(await accounts(admin.apiKey)).toEqual([{ accountId, role: 'admin' }]);
  expect(await accounts(outsider.apiKey)).toEqual([]);
});

test.each([
  ['an address that is taken', { email: 'ADA@example.com' }, /exists already/],
  ['what is no address', { email: 'ada' }, /not an e-mail address/],
  ['an unknown account', { email: 'bob@example.com', accountId: uuidv7() }, /There is no account/],
  ['a malformed account', { email: 'bob@example.com', accountId: 'acme' }, /There is no account/],
  ['a role without an account', { email: 'bob@example.com', accountRole: 'admin' as const }, /needs the account/],
])('a user with %s is refused', async (_, user, message) => {
  await firstRun(db, keyring(), defaultBrand, input);
  await expect(createUser(db, defaultBrand, user)).rejects.toThrow(message);
  expect(await db.selectFrom('users').select('email').execute()).toHaveLength(1);
});
