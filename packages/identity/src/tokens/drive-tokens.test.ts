import { randomBytes } from 'node:crypto';
import { connect, type Database } from '@berth/database';
import fc from 'fast-check';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../engines/test-database.ts';
import { masterKeyRing } from '../sealing/master-keys.ts';
import { rewrapKeys } from '../sealing/rewrap-keys.ts';
import { createDriveTokens, driveTokenAudience } from './drive-tokens.ts';

const first = { id: 'first', key: randomBytes(32) };
const ring = masterKeyRing([first]);
const issuer = 'https://api.example.com/v0';
const claims = {
  workspaceId: '0198-workspace',
  workspaceName: 'main',
  driveName: 'photos',
  driveUid: '0198-drive',
  subject: '0198-user',
  subjectType: 'user',
};
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connect({ url: database.url });
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test('a token verifies against the public key set and opens one drive', async () => {
  const tokens = createDriveTokens(db, ring, { issuer, lifetimeSeconds: 300 });
  const { token, expiresInSeconds } = await tokens.issue(claims);
  const keys = createLocalJWKSet(await tokens.jwks());
  const { payload } = await jwtVerify(token, keys, { issuer, audience: driveTokenAudience });
  expect(payload).toMatchObject({
    sub: '0198-user',
    sub_type: 'user',
    workspace: 'main',
    workspace_id: '0198-workspace',
    drive: 'photos',
    drive_uid: '0198-drive',
  });
  expect(expiresInSeconds).toBe(300);
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300);
  expect(decodeProtectedHeader(token).kid).toBe((await tokens.jwks()).keys[0]?.kid);
});

test('an altered token does not verify', async () => {
  const tokens = createDriveTokens(db, ring, { issuer });
  const { token } = await tokens.issue(claims);
  const keys = createLocalJWKSet(await tokens.jwks());
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.constantFrom(...characters), async (at, other) => {
      // The last character carries spare bits that base64url ignores: a token that differs only there is still valid.
      const index = at % (token.length - 1);
      fc.pre(token[index] !== other && token[index] !== '.');
      await expect(jwtVerify(token.slice(0, index) + other + token.slice(index + 1), keys)).rejects.toThrow();
    }),
  );
});

test('an expired token does not verify', async () => {
  const tokens = createDriveTokens(db, ring, { issuer });
  const { token, expiresInSeconds } = await tokens.issue(claims);
  const keys = createLocalJWKSet(await tokens.jwks());
  const later = new Date(Date.now() + (expiresInSeconds + 1) * 1000);
  await expect(jwtVerify(token, keys, { currentDate: later })).rejects.toThrow(/exp/);
});

test('the key set holds no private part', async () => {
  const { keys } = await createDriveTokens(db, ring, { issuer }).jwks();
  expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x']]);
});

test('servers that start at once sign with one key', async () => {
  await db.deleteFrom('deployment_keys').execute();
  const sets = await Promise.all(Array.from({ length: 8 }, () => createDriveTokens(db, ring, { issuer }).jwks()));
  expect(new Set(sets.map(({ keys }) => keys[0]?.kid)).size).toBe(1);
});

test('tokens outlive a rotation of the master key', async () => {
  const { token } = await createDriveTokens(db, ring, { issuer }).issue(claims);
  const second = { id: 'second', key: randomBytes(32) };
  await rewrapKeys(db, masterKeyRing([second, first]));
  const keys = createLocalJWKSet(await createDriveTokens(db, masterKeyRing([second]), { issuer }).jwks());
  expect((await jwtVerify(token, keys)).payload.sub).toBe('0198-user');
  await rewrapKeys(db, masterKeyRing([first, second]));
});

test('a public key that was exchanged in the database is not served', async () => {
  await createDriveTokens(db, ring, { issuer }).jwks();
  const { id, public_part } = await db
    .selectFrom('deployment_keys')
    .select(['id', 'public_part'])
    .where('purpose', '=', 'drive-token')
    .executeTakeFirstOrThrow();
  const forged = JSON.stringify({ ...public_part, x: randomBytes(32).toString('base64url') });
  await db.updateTable('deployment_keys').set({ public_part: forged }).where('id', '=', id).execute();
  await expect(createDriveTokens(db, ring, { issuer }).jwks()).rejects.toThrow(/does not belong/);
  await db
    .updateTable('deployment_keys')
    .set({ public_part: JSON.stringify(public_part) })
    .where('id', '=', id)
    .execute();
});
