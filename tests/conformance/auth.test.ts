// Credentials and the headers that carry them.
import { headerNames, operations } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { addressOf } from './support/probe.ts';

const brand = conformanceBrand();
const branded = headerNames(brand).authorization;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

test('auth.required: every operation that is not declared public answers 401 without a credential and with a wrong one', async () => {
  // The specification names none; the control-plane sheet (1.12, 1.17) declares two public, and what a client has to know before its
  // first request is our own.
  const open = operations.filter(({ access }) => access.kind === 'public');
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'GET /.well-known/berth',
    'GET /changelog',
    'GET /drives/jwks.json',
  ]);
  const nobody = api.admin.with({ key: undefined });
  for (const operation of open)
    expect((await nobody.get(addressOf(operation, { workspace: api.workspace }))).status).toBe(200);

  const lastDigit = api.adminKey.endsWith('a') ? 'b' : 'a';
  const wrong = [undefined, `${brand.short}_${'x'.repeat(40)}`, api.adminKey.slice(0, -1) + lastDigit];
  for (const operation of operations.filter(({ access }) => access.kind !== 'public')) {
    for (const key of wrong) {
      const answer = await api.admin
        .with({ key })
        .send(operation.method, addressOf(operation, { workspace: api.workspace, accountId: api.accountId }), {});
      expect([operation.id, answer.status, answer.body.error]).toEqual([operation.id, 401, 'unauthenticated']);
    }
  }
});

test('auth.bearer-headers: an API key is accepted as a bearer in Authorization and in X-Service-Authorization and in no other scheme', async () => {
  const nobody = api.admin.with({ key: undefined });
  const statusWith = async (headers: Record<string, string>, query = {}) =>
    (await nobody.get('/drives', { headers, query })).status;
  const key = api.adminKey;
  expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
  expect(await statusWith({ [branded]: `Bearer ${key}` })).toBe(200);
  expect(await statusWith({ [branded]: `Bearer ${key}`, authorization: 'Basic of-somebody-else' })).toBe(200);
  const basic = Buffer.from(`${key}:`).toString('base64');
  for (const header of ['authorization', branded]) {
    for (const value of [key, `Basic ${basic}`, `Basic ${key}`, `Token ${key}`, `ApiKey ${key}`, `Bearer${key}`])
      expect([header, value.split(key)[0], await statusWith({ [header]: value })]).toEqual([
        header,
        value.split(key)[0],
        401,
      ]);
  }
  expect(await statusWith({ 'x-api-key': key })).toBe(401);
  expect(await statusWith({ cookie: `authorization=${key}; token=${key}` })).toBe(401);
  for (const name of ['token', 'access_token', 'api_key', 'apiKey'])
    expect(await statusWith({}, { [name]: key })).toBe(401);
});

test('auth.key-long-lived: a key made without an expiry carries none and keeps working', async () => {
  const user = await api.user({ memberOf: api.workspace });
  const { apiKey, ...created } = (await user.client.post('/profile/api_keys', { name: 'forever' })).body;
  expect(created).not.toHaveProperty('expiresAt');
  expect(created).not.toHaveProperty('expires_in');
  const holder = user.client.with({ key: apiKey });
  expect((await holder.get('/drives')).status).toBe(200);
  // The database's clock decides about keys, so the test makes a key old by changing its row.
  const longAgo = new Date(Date.now() - 10 * 365 * 86_400_000);
  await api.database.updateTable('api_keys').set({ created_at: longAgo }).where('id', '=', created.id).execute();
  expect((await holder.get('/drives')).status).toBe(200);
  const listed = (await user.client.get('/profile/api_keys')).body.find(({ id }: { id: string }) => id === created.id);
  expect(listed).toMatchObject({ name: 'forever', createdAt: longAgo.toISOString() });
  expect(listed).not.toHaveProperty('expiresAt');
});

test('auth.key-owner: an API key names its owner, which is a user or a service account', async () => {
  const user = await api.user({ memberOf: api.workspace });
  const personal = await user.client.post('/profile/api_keys', {});
  expect(personal.body).toMatchObject({ sub: user.id, sub_type: 'user' });
  const robot = await api.admin.post('/service_accounts', { name: 'robot' });
  const path = `/service_accounts/${robot.body.client_id}/api_keys`;
  const robotKey = await api.admin.post(path, {});
  expect(robotKey.body).toMatchObject({ sub: robot.body.client_id, sub_type: 'service_account' });
  for (const { body } of [await user.client.get('/profile/api_keys'), await api.admin.get(path)])
    for (const key of body)
      expect([`user ${user.id}`, `service_account ${robot.body.client_id}`]).toContain(`${key.sub_type} ${key.sub}`);
  const made = await api.admin
    .with({ key: robotKey.body.apiKey })
    .post('/drives', { metadata: { name: 'by-robot' }, spec: {} });
  expect(made.body.metadata.createdBy).toBe(robot.body.client_id);
});

test('auth.key-create: a user creates, lists and revokes keys through the operations behind the console, and the value is shown once', async () => {
  const user = await api.user({ memberOf: api.workspace });
  const { apiKey, id } = (await user.client.post('/profile/api_keys', { name: 'laptop' })).body;
  expect(apiKey).toMatch(new RegExp(`^${brand.short}_`));
  const holder = user.client.with({ key: apiKey });
  expect((await holder.get('/drives')).status).toBe(200);
  const listed = await user.client.get('/profile/api_keys');
  expect(listed.body).toContainEqual(expect.objectContaining({ id, name: 'laptop' }));
  expect(listed.text).not.toContain(apiKey);
  expect(listed.body.every((key: object) => !('apiKey' in key))).toBe(true);
  expect((await user.client.delete(`/profile/api_keys/${id}`)).status).toBe(200);
  expect((await holder.get('/drives')).status).toBe(401);
  expect((await user.client.get('/profile/api_keys')).text).not.toContain(id);
});
