import { randomBytes } from 'node:crypto';
import { defaultBrand } from '@berth/contract';
import { connect, type Database, LaneFull } from '@berth/database';
import type { KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../engines/test-database.ts';
import { insertAccount, insertServiceAccount, insertWorkspace } from '../../test/tenant-fixture.ts';
import { createUser } from '../people/create-user.ts';
import { newApiKey } from './api-keys.ts';
import { createAuthenticator } from './authenticator.ts';
import { hashSecret } from './hash-secret.ts';

let database: TestDatabase;
let db: Database;
let accountId: string;
let workspaceId: string;
let users = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connect({ url: database.url });
  accountId = await insertAccount(db);
  workspaceId = await insertWorkspace(db, accountId, 'main');
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

function newUser(): Promise<{ userId: string; apiKey: string }> {
  users += 1;
  return createUser(db, defaultBrand, { email: `user-${users}@example.com` });
}

async function newKey(values: {
  user_id?: string;
  service_account_id?: string;
  scopes?: string[];
  expires_at?: Date;
}): Promise<{ id: string; value: string }> {
  const { id, value, hash } = newApiKey(defaultBrand);
  await db
    .insertInto('api_keys')
    .values({ id, hash, created_by: 'test', ...values })
    .execute();
  return { id, value };
}

/** The same database, with a counter of its queries. */
function counted(): { db: Database; queries: () => number } {
  let queries = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === 'RawNode' && node.sqlFragments.join('').includes('with key as')) queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(plugin), queries: () => queries };
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe('a principal', () => {
  test('of a user holds their workspaces and accounts', async () => {
    const { userId, apiKey } = await newUser();
    const otherAccount = await insertAccount(db);
    const otherWorkspace = await insertWorkspace(db, otherAccount, 'a-guest-house');
    await db
      .insertInto('workspace_members')
      .values([
        { workspace_id: workspaceId, user_id: userId, role: 'admin' },
        { workspace_id: otherWorkspace, user_id: userId, role: 'member' },
      ])
      .execute();
    await db.insertInto('account_members').values({ account_id: accountId, user_id: userId, role: 'admin' }).execute();
    expect(await createAuthenticator(db).authenticate(apiKey)).toEqual({
      keyId: expect.stringMatching(/^ak_/),
      subject: userId,
      subjectType: 'user',
      email: `user-${users}@example.com`,
      memberships: [
        { workspaceId: otherWorkspace, workspaceName: 'a-guest-house', accountId: otherAccount, role: 'member' },
        { workspaceId, workspaceName: 'main', accountId, role: 'admin' },
      ],
      accounts: [
        { accountId, role: 'admin' },
        { accountId: otherAccount, role: 'member' },
      ],
    });
  });

  test('of a service account holds its one workspace', async () => {
    const clientId = await insertServiceAccount(db, workspaceId, 'admin');
    const key = await newKey({ service_account_id: clientId });
    expect(await createAuthenticator(db).authenticate(key.value)).toEqual({
      keyId: key.id,
      subject: clientId,
      subjectType: 'service_account',
      memberships: [{ workspaceId, workspaceName: 'main', accountId, role: 'admin' }],
      accounts: [{ accountId, role: 'member' }],
    });
  });

  test('of a user without any workspace is known all the same', async () => {
    const { userId, apiKey } = await newUser();
    expect(await createAuthenticator(db).authenticate(apiKey)).toMatchObject({
      subject: userId,
      memberships: [],
      accounts: [],
    });
  });

  test('has scopes only when its key was made with a list, also an empty one', async () => {
    const { userId, apiKey } = await newUser();
    const authenticator = createAuthenticator(db);
    expect(await authenticator.authenticate(apiKey)).not.toHaveProperty('scopes');
    const limited = await newKey({ user_id: userId, scopes: ['drives:get'] });
    expect(await authenticator.authenticate(limited.value)).toMatchObject({ scopes: ['drives:get'] });
    const nothing = await newKey({ user_id: userId, scopes: [] });
    expect(await authenticator.authenticate(nothing.value)).toMatchObject({ scopes: [] });
  });
});

describe('a key is refused', () => {
  test.each(['', 'nonsense', `service_${'A'.repeat(40)}`, 'x'.repeat(100_000), "' or true --", '\0'])(
    'when it is unknown (%#)',
    async (bearer) => {
      expect(await createAuthenticator(db).authenticate(bearer)).toBeUndefined();
    },
  );

  test('within a second of being revoked', async () => {
    const { userId, apiKey } = await newUser();
    let clock = 0;
    const authenticator = createAuthenticator(db, { now: () => clock });
    expect(await authenticator.authenticate(apiKey)).toBeDefined();
    await db.deleteFrom('api_keys').where('user_id', '=', userId).execute();
    clock = 999;
    expect(await authenticator.authenticate(apiKey)).toBeUndefined();
  });

  test('within a second of its owner losing a workspace', async () => {
    const { userId, apiKey } = await newUser();
    await db
      .insertInto('workspace_members')
      .values({ workspace_id: workspaceId, user_id: userId, role: 'member' })
      .execute();
    let clock = 0;
    const authenticator = createAuthenticator(db, { now: () => clock });
    expect((await authenticator.authenticate(apiKey))?.memberships).toHaveLength(1);
    await db.deleteFrom('workspace_members').where('user_id', '=', userId).execute();
    clock = 999;
    expect((await authenticator.authenticate(apiKey))?.memberships).toHaveLength(0);
  });

  test('after it expired', async () => {
    const { userId } = await newUser();
    const expired = await newKey({ user_id: userId, expires_at: new Date(Date.now() - 1000) });
    expect(await createAuthenticator(db).authenticate(expired.value)).toBeUndefined();
  });

  test('at its expiry, even while its answer would still be fresh', async () => {
    const { userId } = await newUser();
    let clock = 0;
    const authenticator = createAuthenticator(db, { freshMs: 3_600_000, now: () => clock });
    const brief = await newKey({ user_id: userId, expires_at: new Date(Date.now() + 60_000) });
    expect(await authenticator.authenticate(brief.value)).toBeDefined();
    // The database judges expiry by the real clock, so the key's expiry is moved to now.
    await db.updateTable('api_keys').set({ expires_at: new Date() }).where('id', '=', brief.id).execute();
    clock = 60_000;
    expect(await authenticator.authenticate(brief.value)).toBeUndefined();
  });
});

describe('answers are kept', () => {
  test('for as long as they are fresh and no longer', async () => {
    const { apiKey } = await newUser();
    const { db: watched, queries } = counted();
    let clock = 0;
    const authenticator = createAuthenticator(watched, { now: () => clock });
    await authenticator.authenticate(apiKey);
    clock = 899;
    await authenticator.authenticate(apiKey);
    expect(queries()).toBe(1);
    clock = 900;
    await authenticator.authenticate(apiKey);
    expect(queries()).toBe(2);
    authenticator.forget(() => true);
    await authenticator.authenticate(apiKey);
    expect(queries()).toBe(3);
  });

  test('and a change of one subject leaves the cached answers of the others', async () => {
    const [changed, other] = [await newUser(), await newUser()];
    const { db: watched, queries } = counted();
    const authenticator = createAuthenticator(watched, { now: () => 0 });
    await authenticator.authenticate(changed.apiKey);
    await authenticator.authenticate(other.apiKey);
    authenticator.forget(({ subject }) => subject === changed.userId);
    expect(authenticator.remembered(other.apiKey)).toMatchObject({ subject: other.userId });
    expect(authenticator.remembered(changed.apiKey)).toBeUndefined();
    expect(queries()).toBe(2);
    await authenticator.authenticate(changed.apiKey);
    expect(queries()).toBe(3);
  });

  test('and shared by requests that ask at the same time', async () => {
    const { userId, apiKey } = await newUser();
    const { db: watched, queries } = counted();
    const authenticator = createAuthenticator(watched);
    const found = await Promise.all(Array.from({ length: 100 }, () => authenticator.authenticate(apiKey)));
    expect(found.every((principal) => principal?.subject === userId)).toBe(true);
    expect(queries()).toBe(1);
  });

  test('each for its own key, also when unknown keys are looked up together', async () => {
    const { db: watched, queries } = counted();
    const authenticator = createAuthenticator(watched);
    const [user, lonely] = [await newUser(), await newUser()];
    const member = { workspace_id: workspaceId, user_id: user.userId, role: 'member' as const };
    await db.insertInto('workspace_members').values(member).execute();
    const clientId = await insertServiceAccount(db, workspaceId, 'admin');
    const service = await newKey({ service_account_id: clientId });
    const values = [
      newApiKey(defaultBrand).value,
      user.apiKey,
      lonely.apiKey,
      newApiKey(defaultBrand).value,
      service.value,
    ];
    const found = await Promise.all(values.map((value) => authenticator.authenticate(value)));
    const main = { workspaceId, workspaceName: 'main', accountId };
    const accounts = [{ accountId, role: 'member' }];
    expect(found).toMatchObject([
      ...[undefined, { subject: user.userId, memberships: [{ ...main, role: 'member' }], accounts }],
      ...[{ subject: lonely.userId, memberships: [], accounts: [] }, undefined],
      { subject: clientId, memberships: [{ ...main, role: 'admin' }], accounts },
    ]);
    expect(queries()).toBe(2);
  });

  test('but a lookup that began before `forget` caches no answer', async () => {
    const { apiKey } = await newUser();
    const { db: watched, queries } = counted();
    const authenticator = createAuthenticator(watched);
    const asking = authenticator.authenticate(apiKey);
    authenticator.forget(() => true);
    await asking;
    await authenticator.authenticate(apiKey);
    expect(queries()).toBe(2);
  });

  test('and unknown keys are too, in a bounded number that pushes out no good key', async () => {
    const { apiKey } = await newUser();
    const { db: watched, queries } = counted();
    const authenticator = createAuthenticator(watched, { maxEntries: 10, now: () => 0 });
    const bad = Array.from({ length: 50 }, () => newApiKey(defaultBrand).value);
    await authenticator.authenticate(apiKey);
    for (const value of bad) await authenticator.authenticate(value);
    expect(queries()).toBe(51);
    for (const value of bad.slice(-10)) await authenticator.authenticate(value);
    await authenticator.authenticate(apiKey);
    expect(queries()).toBe(51);
    for (const value of bad.slice(0, 10)) await authenticator.authenticate(value);
    expect(queries()).toBe(61);
  });

  test('and a key that was unknown is accepted once it exists', async () => {
    const { userId } = await newUser();
    let clock = 0;
    const authenticator = createAuthenticator(db, { now: () => clock });
    const { id, value, hash } = newApiKey(defaultBrand);
    expect(await authenticator.authenticate(value)).toBeUndefined();
    await db.insertInto('api_keys').values({ id, hash, user_id: userId, created_by: 'test' }).execute();
    clock = 900;
    expect(await authenticator.authenticate(value)).toMatchObject({ subject: userId });
    expect(await authenticator.authenticate(value)).toMatchObject({ subject: userId });
  });

  test('but a failed lookup is not', async () => {
    const { apiKey } = await newUser();
    const away = connect({ url: database.url.replace(database.name, 'no_such_database') });
    const authenticator = createAuthenticator(away);
    await expect(authenticator.authenticate(apiKey)).rejects.toThrow();
    await expect(authenticator.authenticate(apiKey)).rejects.toThrow();
    await away.destroy();
  });
});

describe('a flood of unknown keys', () => {
  /** Key lookups sent meanwhile wait for the table lock. */
  async function whileLocked(work: () => Promise<void>): Promise<void> {
    await db.transaction().execute(async (tx) => {
      await sql`lock table api_keys in access exclusive mode`.execute(tx);
      await work();
    });
  }

  const lookupsUnderWay = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and query like '%with key as%' and wait_event_type = 'Lock'`.execute(db);
    return rows[0]?.count ?? 0;
  };

  test('fills only its lane; further keys are refused without a query and without reporting the database unavailable', async () => {
    const { apiKey } = await newUser();
    const { db: watched, queries } = counted();
    const lane = { maxWaiting: 4, now: () => 0 };
    const authenticator = createAuthenticator(watched, {
      ...{ staleMs: 60_000, freshMs: 0 },
      unknownKeys: { database: watched, lane },
    });
    await authenticator.authenticate(apiKey);
    const flood: Promise<unknown>[] = [];
    await whileLocked(async () => {
      const invent = () =>
        flood.push(authenticator.authenticate(newApiKey(defaultBrand).value).catch((error: unknown) => error));
      invent();
      await expect.poll(lookupsUnderWay).toBe(1);
      for (let sent = 1; sent < 1_000; sent += 1) invent();
      expect(queries()).toBe(2);
      // A known key does not wait in the lane: its lookup is sent at once, the lane's are not.
      const known = authenticator.authenticate(apiKey);
      await expect.poll(lookupsUnderWay).toBe(2);
      expect(queries()).toBe(3);
      void known.catch(() => {});
    });
    const answers = await Promise.all(flood);
    expect(answers.filter((answer) => answer instanceof LaneFull)).toHaveLength(995);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(5);
  });

  test('does not keep a revoked key alive', async () => {
    const { userId, apiKey } = await newUser();
    const away = connect({ url: database.url, maxConnections: 1 });
    let clock = 0;
    const authenticator = createAuthenticator(db, {
      ...{ staleMs: 60_000, now: () => clock },
      unknownKeys: { database: away, lane: { maxWaiting: 2 } },
    });
    await authenticator.authenticate(apiKey);
    await db.deleteFrom('api_keys').where('user_id', '=', userId).execute();
    clock = 999;
    // The only connection of the lane is held, so that no unknown key is answered.
    const { promise: held, resolve: free } = Promise.withResolvers<void>();
    const holding = away.connection().execute(() => held);
    const flood = Promise.allSettled(
      Array.from({ length: 100 }, () => authenticator.authenticate(newApiKey(defaultBrand).value)),
    );
    expect(await authenticator.authenticate(apiKey)).toBeUndefined();
    free();
    await holding;
    await flood;
    await away.destroy();
  });

  test('costs no query where a key has no valid checksum, and keys from before checksums still work', async () => {
    const { userId } = await newUser();
    const { db: watched, queries } = counted();
    const authenticator = createAuthenticator(watched);
    const { value } = newApiKey(defaultBrand);
    const wrong = `${value.slice(0, -1)}${value.endsWith('a') ? 'b' : 'a'}`;
    expect(await authenticator.authenticate(wrong)).toBeUndefined();
    for (let sent = 0; sent < 100; sent += 1) {
      const random = `service_${randomBytes(23).toString('hex')}`;
      expect(await authenticator.authenticate(random)).toBeUndefined();
    }
    expect(queries()).toBe(0);
    const old = `service_${randomBytes(20).toString('hex')}`;
    const row = { id: 'ak_old', hash: hashSecret(old), user_id: userId, created_by: 'test' };
    await db.insertInto('api_keys').values(row).execute();
    expect(await authenticator.authenticate(old)).toMatchObject({ subject: userId, keyId: 'ak_old' });
  });
});

describe('while the database is unavailable', () => {
  /** The same database; its queries fail after `away(true)`. */
  function cuttable(): { db: Database; away: (isAway: boolean) => void } {
    let isAway = false;
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        if (isAway) throw new Error('away');
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    return { db: db.withPlugin(plugin), away: (value) => (isAway = value) };
  }

  test('a known principal is accepted for as long as was allowed, and no longer', async () => {
    const { userId, apiKey } = await newUser();
    const { db: watched, away } = cuttable();
    let clock = 0;
    const authenticator = createAuthenticator(watched, { staleMs: 60_000, now: () => clock });
    await authenticator.authenticate(apiKey);
    away(true);
    for (clock = 1_000; clock < 60_000; clock += 1_000) {
      expect(await authenticator.authenticate(apiKey)).toMatchObject({ subject: userId });
    }
    clock = 60_000;
    await expect(authenticator.authenticate(apiKey)).rejects.toThrow('away');
  });

  test('a key that expires meanwhile is accepted until then', async () => {
    const { userId } = await newUser();
    const { db: watched, away } = cuttable();
    let clock = 0;
    const brief = await newKey({ user_id: userId, expires_at: new Date(Date.now() + 10_000) });
    const authenticator = createAuthenticator(watched, { staleMs: 60_000, now: () => clock });
    await authenticator.authenticate(brief.value);
    away(true);
    clock = 9_000;
    expect(await authenticator.authenticate(brief.value)).toBeDefined();
    clock = 10_001;
    await expect(authenticator.authenticate(brief.value)).rejects.toThrow('away');
  });

  test('unknown keys, revoked keys and keys of an authenticator without `staleMs` are not accepted', async () => {
    const { userId, apiKey } = await newUser();
    const { db: watched, away } = cuttable();
    let clock = 0;
    const strict = createAuthenticator(watched, { now: () => clock });
    const lenient = createAuthenticator(watched, { staleMs: 60_000, now: () => clock });
    await Promise.all([strict.authenticate(apiKey), lenient.authenticate(apiKey), lenient.authenticate('nonsense')]);
    clock = 1_000;
    away(true);
    await expect(strict.authenticate(apiKey)).rejects.toThrow('away');
    await expect(lenient.authenticate('nonsense')).rejects.toThrow('away');
    expect(await lenient.authenticate(apiKey)).toBeDefined();
    away(false);
    await db.deleteFrom('api_keys').where('user_id', '=', userId).execute();
    clock = 2_000;
    expect(await lenient.authenticate(apiKey)).toBeUndefined();
    away(true);
    clock = 3_000;
    await expect(lenient.authenticate(apiKey)).rejects.toThrow('away');
  });

  test('a silent database counts as unavailable, sooner where a cached answer can be used', async () => {
    const { userId, apiKey } = await newUser();
    const authenticator = createAuthenticator(db, { staleMs: 60_000, freshMs: 0 });
    await authenticator.authenticate(apiKey);
    await db.transaction().execute(async (tx) => {
      await sql`lock table api_keys in access exclusive mode`.execute(tx);
      const stranger = authenticator.authenticate(newApiKey(defaultBrand).value).catch(() => undefined);
      // The known key is answered while the table is locked, and before the longer timeout for an unknown key ends.
      expect(await Promise.race([stranger, authenticator.authenticate(apiKey)])).toMatchObject({ subject: userId });
    });
  });

  test('a slow answer is awaited where there is no cached answer', async () => {
    const { userId, apiKey } = await newUser();
    const authenticator = createAuthenticator(db, { staleMs: 60_000 });
    const { promise: asked } = await db.transaction().execute(async (tx) => {
      await sql`lock table api_keys in access exclusive mode`.execute(tx);
      const promise = authenticator.authenticate(apiKey);
      // Longer than the timeout for a key with a cached answer.
      await sleep(1_100);
      return { promise };
    });
    expect(await asked).toMatchObject({ subject: userId });
  });
});

describe('the last use of a key', () => {
  const lastUse = async (userId: string): Promise<Date | null> =>
    (await db.selectFrom('api_keys').select('last_used_at').where('user_id', '=', userId).executeTakeFirstOrThrow())
      .last_used_at;

  async function firstUse(userId: string): Promise<Date> {
    await expect.poll(() => lastUse(userId)).not.toBeNull();
    return (await lastUse(userId)) ?? new Date(0);
  }

  test('is recorded, at most once a minute', async () => {
    const { userId, apiKey } = await newUser();
    const authenticator = createAuthenticator(db, { freshMs: 0 });
    await authenticator.authenticate(apiKey);
    const first = await firstUse(userId);
    for (let round = 0; round < 20; round += 1) await authenticator.authenticate(apiKey);
    await sleep(100);
    expect(await lastUse(userId)).toEqual(first);

    const longAgo = new Date(Date.now() - 61_000);
    await db.updateTable('api_keys').set({ last_used_at: longAgo }).where('user_id', '=', userId).execute();
    await authenticator.authenticate(apiKey);
    await expect.poll(() => lastUse(userId)).not.toEqual(longAgo);
  });

  test('is left out while another server writes it', async () => {
    const { userId, apiKey } = await newUser();
    const authenticator = createAuthenticator(db, { freshMs: 0 });
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from api_keys where user_id = ${userId} for update`.execute(tx);
      expect(await authenticator.authenticate(apiKey)).toMatchObject({ subject: userId });
      await sleep(100);
    });
    await sleep(100);
    expect(await lastUse(userId)).toBeNull();
  });

  test('does not fail a request when it cannot be written, and is tried again', async () => {
    const { userId, apiKey } = await newUser();
    const authenticator = createAuthenticator(db, { freshMs: 0 });
    await sql`create function refuse_use() returns trigger language plpgsql as $$ begin raise 'no'; end $$`.execute(db);
    await sql`create trigger refuse_use before update on api_keys for each row execute function refuse_use()`.execute(
      db,
    );
    // An unhandled rejection would fail the run.
    expect(await authenticator.authenticate(apiKey)).toMatchObject({ subject: userId });
    await sleep(100);
    await sql`drop trigger refuse_use on api_keys`.execute(db);
    expect(await lastUse(userId)).toBeNull();
    await authenticator.authenticate(apiKey);
    await firstUse(userId);
  });
});
