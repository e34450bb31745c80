import { ApiConfig, createWorkspace, startApi } from '@berth/api';
import { connect } from '@berth/database';
import { createKeyring, firstRun, unseal } from '@berth/identity';
import { PlacementConfig } from '@berth/instances';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { Client } from '../../../tests/harness/client.ts';
import { startTestApi, type TestApi, testMasterKeys } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const robotPath = async (role: 'member' | 'admin' = 'member') => {
  const robot = await api.admin.post('/service_accounts', { name: 'robot', role });
  return `/service_accounts/${robot.body.client_id}`;
};

test('a personal key is shown once, works in every workspace of its owner and is refused at once when revoked', async () => {
  const user = await api.user({ memberOf: api.workspace });
  const created = await user.client.post('/profile/api_keys', { name: 'laptop', expires_in: '30d' });
  const { apiKey, expires_in, ...shown } = created.body;
  expect(expires_in).toBe('30d');
  expect(shown).toMatchObject({ name: 'laptop', sub: user.id, sub_type: 'user', createdBy: user.id });
  expect(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)).toBe(30 * 86_400_000);
  const other = user.client.with({ key: apiKey });
  expect((await other.get('/drives')).status).toBe(200);
  const listed = (await user.client.get('/profile/api_keys')).body;
  expect(listed).toHaveLength(2);
  expect(listed[0]).toMatchObject({ id: shown.id, name: 'laptop' });
  expect(JSON.stringify(listed)).not.toContain(apiKey);
  expect((await user.client.delete(`/profile/api_keys/${shown.id}`)).text).toBe('');
  expect((await other.get('/drives')).status).toBe(401);
  expect((await user.client.delete(`/profile/api_keys/${shown.id}`)).status).toBe(404);
});

test('the last use of a key is shown', async () => {
  const user = await api.user();
  await user.client.get('/workspaces');
  await expect
    .poll(async () => (await user.client.get('/profile/api_keys')).body[0].lastUsedAt)
    .toMatch(/^\d{4}-\d\d-\d\dT/);
});

describe('a key made with another key', () => {
  const limited = { scopes: ['apiKey:list', 'apiKey:write', 'drives:list'] };
  const isGood = async (key: string) => (await api.admin.with({ key }).get('/profile/api_keys')).status === 200;

  test('a narrow key that knows the idempotency key and the body does not get the wide key of an earlier answer', async () => {
    const user = await api.user({ memberOf: api.workspace });
    const narrow = user.client.with({ key: (await user.client.post('/profile/api_keys', limited)).body.apiKey });
    const headers = { 'idempotency-key': 'the-same' };
    const wide = await user.client.post('/profile/api_keys', { name: 'wide' }, { headers });
    const repeated = await user.client.post('/profile/api_keys', { name: 'wide' }, { headers });
    expect(repeated.body).toEqual(wide.body);
    const stolen = await narrow.post('/profile/api_keys', { name: 'wide' }, { headers });
    expect([stolen.status, stolen.body.error]).toEqual([403, 'scopes_required']);
    expect(stolen.text).not.toContain(wide.body.apiKey);
  });

  test('ends no later than the key that made it, whatever was asked for', async () => {
    const user = await api.user();
    const parent = (await user.client.post('/profile/api_keys', { expires_in: '15m' })).body;
    const maker = user.client.with({ key: parent.apiKey });
    for (const input of [{}, { expires_in: '30d' }]) {
      const made = (await maker.post('/profile/api_keys', input)).body;
      expect([made.expiresAt, made.expires_in]).toEqual([parent.expiresAt, undefined]);
      const further = (await maker.with({ key: made.apiKey }).post('/profile/api_keys', {})).body;
      expect(further.expiresAt).toBe(parent.expiresAt);
    }
    const sooner = (await maker.post('/profile/api_keys', { expires_in: '1m' })).body;
    expect(sooner.expires_in).toBe('1m');
    expect(Date.parse(sooner.expiresAt)).toBeLessThan(Date.parse(parent.expiresAt));
  });

  test('ends when the key that made it is deleted, also one of a service account, and what it made itself', async () => {
    const user = await api.user({ memberOf: api.workspace, role: 'admin' });
    const parent = (await user.client.post('/profile/api_keys', {})).body;
    const child = (await user.client.with({ key: parent.apiKey }).post('/profile/api_keys', {})).body;
    const grandchild = (await user.client.with({ key: child.apiKey }).post('/profile/api_keys', {})).body;
    const path = await robotPath();
    const robots = (await user.client.with({ key: child.apiKey }).post(`${path}/api_keys`, {})).body;
    const sibling = (await user.client.post('/profile/api_keys', {})).body;
    expect((await user.client.delete(`/profile/api_keys/${parent.id}`)).status).toBe(200);
    for (const { apiKey } of [parent, child, grandchild, robots])
      expect((await api.admin.with({ key: apiKey }).get('/drives')).status).toBe(401);
    expect(await isGood(sibling.apiKey)).toBe(true);
    expect(await isGood(user.key)).toBe(true);
  });

  test('stays when it deletes the key that made it: so a key is replaced by a new one', async () => {
    const user = await api.user();
    const [old] = (await user.client.get('/profile/api_keys')).body;
    const other = (await user.client.post('/profile/api_keys', {})).body;
    const fresh = (await user.client.with({ key: other.apiKey }).post('/profile/api_keys', {})).body;
    const made = (await user.client.with({ key: fresh.apiKey }).post('/profile/api_keys', {})).body;
    expect((await user.client.with({ key: fresh.apiKey }).delete(`/profile/api_keys/${old.id}`)).status).toBe(200);
    const good = await Promise.all([user.key, other.apiKey, fresh.apiKey, made.apiKey].map(isGood));
    expect(good).toEqual([false, false, true, true]);
  });
});

test('no user sees or revokes the key of another user', async () => {
  const [user, other] = [await api.user(), await api.user()];
  const { id } = (await user.client.post('/profile/api_keys', {})).body;
  expect((await other.client.delete(`/profile/api_keys/${id}`)).status).toBe(404);
  expect(JSON.stringify((await other.client.get('/profile/api_keys')).body)).not.toContain(id);
  const path = await robotPath();
  expect((await api.admin.delete(`${path}/api_keys/${id}`)).status).toBe(404);
  const second = await robotPath();
  const key = (await api.admin.post(`${path}/api_keys`, {})).body;
  expect((await api.admin.delete(`${second}/api_keys/${key.id}`)).status).toBe(404);
});

test('an expired key is refused, and stays in the list of its owner', async () => {
  const user = await api.user();
  const { apiKey, id } = (await user.client.post('/profile/api_keys', { expires_in: '1h' })).body;
  expect((await user.client.with({ key: apiKey }).get('/workspaces')).status).toBe(200);
  await api.database.updateTable('api_keys').set({ expires_at: new Date() }).where('id', '=', id).execute();
  await expect.poll(async () => (await user.client.with({ key: apiKey }).get('/workspaces')).status).toBe(401);
  expect((await user.client.get('/profile/api_keys')).body).toContainEqual(expect.objectContaining({ id }));
});

test.each(['', '0d', '-1d', '30', '30 d', '1y', '1.5h', '3651d', '99999999w', 30])(
  'an expiry of %j is refused with the name of its field',
  async (expires_in) => {
    const answer = await api.admin.post('/profile/api_keys', { expires_in });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('expires_in');
  },
);

test('a revoked key of a service account is refused at once here, and soon after by another server', async () => {
  const path = await robotPath();
  const { apiKey, id, sub_type } = (await api.admin.post(`${path}/api_keys`, { name: 'ci' })).body;
  expect(sub_type).toBe('service_account');
  const asRobot = api.admin.with({ key: apiKey });
  expect((await asRobot.get('/drives')).status).toBe(200);
  expect((await api.admin.delete(`${path}/api_keys/${id}`)).status).toBe(200);
  expect((await asRobot.get('/drives')).status).toBe(401);
  // Simulates a deletion by another server: the row is deleted without notifying this process.
  const second = (await api.admin.post(`${path}/api_keys`, {})).body;
  const asSecond = api.admin.with({ key: second.apiKey });
  expect((await asSecond.get('/drives')).status).toBe(200);
  await api.database.deleteFrom('api_keys').where('id', '=', second.id).execute();
  const goneAt = performance.now();
  let lastAcceptedAt = goneAt;
  const ask = async () => {
    const askedAt = performance.now();
    const { status } = await asSecond.get('/drives');
    if (status === 200) lastAcceptedAt = askedAt;
    return status;
  };
  await expect.poll(ask, { interval: 20 }).toBe(401);
  // The guarantee is one second; authenticator.test.ts checks it with a test clock.
  expect(lastAcceptedAt - goneAt).toBeLessThan(5_000);
});

test('a repeated creation with one idempotency key makes one key and shows the same value', async () => {
  const user = await api.user();
  const headers = { 'idempotency-key': 'again' };
  const first = await user.client.post('/profile/api_keys', { name: 'one' }, { headers });
  const again = await user.client.post('/profile/api_keys', { name: 'one' }, { headers });
  expect(again.text).toBe(first.text);
  expect((await user.client.get('/profile/api_keys')).body).toHaveLength(2);
});

describe('stored keys', () => {
  test('no value of a key or of a client secret stands in it, in no column of any table', async () => {
    const robot = await api.admin.post('/service_accounts', { name: 'secretive' });
    const headers = { 'idempotency-key': 'kept' };
    const path = `/service_accounts/${robot.body.client_id}/api_keys`;
    const values = [
      robot.body.client_secret,
      (await api.admin.post(path, { name: 'a' }, { headers })).body.apiKey,
      (await api.admin.post('/profile/api_keys', { name: 'b' }, { headers })).body.apiKey,
      api.adminKey,
    ];
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(
      api.database,
    );
    let dump = '';
    for (const { name } of tables) {
      const { rows } = await sql<{ line: string }>`
        select row_to_json(t)::text as line from ${sql.table(name)} t`.execute(api.database);
      dump += rows.map(({ line }) => line).join('\n');
    }
    expect(dump).toContain(robot.body.client_id);
    // Bytes are dumped as hex, so the dump is searched for that form too.
    for (const value of values) {
      const random = value.slice(value.indexOf('_') + 1);
      for (const form of [random, Buffer.from(random).toString('hex'), Buffer.from(random).toString('base64url')]) {
        expect(dump.includes(form.slice(0, 32)), 'a secret stands in the database').toBe(false);
      }
    }
  });

  test('a service account key can be recovered with the workspace key, a personal key not at all', async () => {
    // A separate api, because the test needs its master key to open the sealed copy.
    await using testDatabase = await createTestDatabase();
    const masterKeys = testMasterKeys();
    const config = ApiConfig.parse({ port: 0 });
    const server = await startApi({
      config,
      placement: PlacementConfig.parse({}),
      databaseUrl: testDatabase.url,
      masterKeys,
      logger: createLogger({ role: 'api' }, { level: 'error' }),
      registry: createMetricsRegistry({ role: 'api' }),
    });
    const database = connect({ url: testDatabase.url, maxConnections: 2 });
    try {
      const keyring = createKeyring(masterKeys);
      const person = { email: 'a@example.com', accountName: 'A', tier: 'tier_9', plan: 'free' };
      const { accountId, userId, apiKey } = await firstRun(database, keyring, config.brand, person);
      const workspaceId = await createWorkspace(database, keyring, config, {
        name: 'main',
        accountId,
        ownerId: userId,
      });
      const client = new Client({ url: server.address, key: apiKey });
      const robot = (await client.post('/service_accounts', { name: 'robot' })).body;
      const key = (await client.post(`/service_accounts/${robot.client_id}/api_keys`, {})).body;
      const personal = (await client.post('/profile/api_keys', {})).body;
      const rows = await database.selectFrom('api_keys').select(['id', 'sealed']).execute();
      const sealed = rows.find(({ id }) => id === key.id)?.sealed ?? '';
      const dataKey = await keyring.workspaceKey(database, workspaceId);
      expect(unseal(dataKey, sealed, `api key ${key.id}`)).toBe(key.apiKey);
      expect(() => unseal(dataKey, sealed, `api key ${personal.id}`)).toThrow('altered');
      expect(rows.find(({ id }) => id === personal.id)?.sealed).toBeNull();
    } finally {
      await database.destroy();
      await server.stop();
    }
  });
});

describe('scopes', () => {
  const narrowKey = async (scopes: string[]) => {
    const { apiKey } = (await api.admin.post('/profile/api_keys', { scopes })).body;
    return api.admin.with({ key: apiKey });
  };

  test('a key with scopes may do exactly what its scopes allow', async () => {
    const narrow = await narrowKey(['drives:list']);
    expect((await narrow.get('/drives')).status).toBe(200);
    const refused = await narrow.post('/drives', { metadata: { name: 'd' }, spec: {} });
    expect([refused.status, refused.body.error]).toEqual([403, 'scope_required']);
    expect((await narrow.get('/profile/api_keys')).body.error).toBe('scope_required');
  });

  test('a key makes no key with more scopes than its own, neither personal nor of a service account', async () => {
    const narrow = await narrowKey(['apiKey:write', 'drives:list']);
    const path = await robotPath('admin');
    for (const place of ['/profile/api_keys', `${path}/api_keys`]) {
      const unlimited = await narrow.post(place, {});
      expect([unlimited.status, unlimited.body.error]).toEqual([403, 'scopes_required']);
      expect(unlimited.body.message).toContain('apiKey:write, drives:list');
      for (const scopes of [['admin'], ['drives:list', 'drives:delete']]) {
        const wider = await narrow.post(place, { scopes });
        expect([wider.status, wider.body.error]).toEqual([403, 'scope_required']);
      }
      const equal = await narrow.post(place, { scopes: ['drives:list', 'drives:list'] });
      expect(equal.body.scopes).toEqual(['drives:list']);
      expect((await narrow.post(place, { scopes: [] })).body.scopes).toEqual([]);
    }
  });

  test('a key that holds admin hands on whatever its owner may', async () => {
    const wide = await narrowKey(['admin']);
    expect((await wide.post('/profile/api_keys', {})).body).not.toHaveProperty('scopes');
    expect((await wide.post('/profile/api_keys', { scopes: ['drives:list'] })).status).toBe(200);
  });

  test('an unknown scope is refused by name of its place', async () => {
    const answer = await api.admin.post('/profile/api_keys', { scopes: ['drives:fly'] });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('scopes');
  });
});
