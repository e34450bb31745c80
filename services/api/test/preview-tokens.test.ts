// Tokens of private previews: creation, listing, deletion by name or by value.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await api.admin.post('/sandboxes', { metadata: { name: 'box' }, spec: {} });
});
afterAll(() => api[Symbol.asyncDispose]());

const previews = '/sandboxes/box/previews';
const tokensOf = (name: string) => `${previews}/${name}/tokens`;
const preview = (name: string) => api.admin.post(previews, { metadata: { name }, spec: { port: 3000 } });
const create = (name: string, token: string, spec: object = {}) =>
  api.admin.post(tokensOf(name), { metadata: { name: token }, spec });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test('a token is 32 random bytes and a checksum of letters, digits, _ and -, and the list shows it again', async () => {
  await preview('shown');
  expect((await api.admin.get(tokensOf('shown'))).text).toBe('[]');
  const expiresAt = inAnHour();
  const { body } = await create('shown', 'token-1', { expiresAt, token: 'mine', expired: true });
  expect(body).toEqual({
    metadata: {
      name: 'token-1',
      previewName: 'shown',
      resourceName: 'box',
      resourceType: 'sandbox',
      workspace: 'main',
    },
    spec: { token: expect.stringMatching(/^[A-Za-z0-9_-]{49}$/), expiresAt, expired: false },
  });
  expect((await api.admin.get(tokensOf('shown'))).body).toEqual([body]);
});

test('a key that may not call sandboxes neither opens one by a preview nor sees a token that does', async () => {
  await preview('guarded');
  await create('guarded', 'mine');
  const keyWith = async (...scopes: string[]) =>
    api.admin.with({ key: (await api.admin.post('/profile/api_keys', { scopes })).body.apiKey });
  const records = ['sandboxes:get', 'sandboxes:list', 'sandboxes:create', 'sandboxes:update'];
  const body = { metadata: { name: 'guarded' }, spec: { port: 443, public: true } };
  const calls = [
    (client: typeof api.admin) => client.get(tokensOf('guarded')),
    (client: typeof api.admin) => client.post(tokensOf('guarded'), { metadata: { name: 'another' }, spec: {} }),
    (client: typeof api.admin) => client.post(previews, { ...body, metadata: { name: 'opened' } }),
    (client: typeof api.admin) => client.put(`${previews}/guarded`, body),
  ];
  const [narrow, caller] = [await keyWith(...records), await keyWith(...records, 'sandboxes:call')];
  for (const call of calls) {
    const refused = await call(narrow);
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('sandboxes:call')]);
    expect((await call(caller)).status).toBe(200);
  }
});

test('a value stands nowhere in the database in clear', async () => {
  await preview('sealed');
  const { token } = (await create('sealed', 'secret')).body.spec;
  const rows = await api.database.selectFrom('preview_tokens').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(token);
  const key = { headers: { 'idempotency-key': 'once' } };
  const body = { metadata: { name: 'again' }, spec: {} };
  const first = await api.admin.post(tokensOf('sealed'), body, key);
  expect((await api.admin.post(tokensOf('sealed'), body, key)).body).toEqual(first.body);
  const stored = await api.database.selectFrom('idempotency_keys').select('answer').execute();
  expect(JSON.stringify(stored)).not.toContain(first.body.spec.token);
});

test('wire check 13: 15 tokens at once under one name are 15 tokens, and each is deleted by its value', async () => {
  await preview('many');
  const made = await Promise.all(
    Array.from({ length: 15 }, () => create('many', 'token-7', { expiresAt: inAnHour() })),
  );
  const values = new Set(made.map(({ body }) => body.spec.token));
  expect(values.size).toBe(15);
  const listed = (await api.admin.get(tokensOf('many'))).body;
  expect(new Set(listed.map(({ spec }: { spec: { token: string } }) => spec.token))).toEqual(values);
  const [one = ''] = values;
  expect((await api.admin.delete(`${tokensOf('many')}/${one}`)).body.message).toBe('The token is deleted.');
  expect((await api.admin.delete(`${tokensOf('many')}/${one}`)).status).toBe(404);
  expect((await api.admin.get(tokensOf('many'))).body).toHaveLength(14);
  expect((await api.admin.delete(`${tokensOf('many')}/token-7`)).body.message).toBe('14 tokens are deleted.');
  expect((await api.admin.get(tokensOf('many'))).body).toEqual([]);
});

test('a token without an expiry lives for a day; one whose time is over is listed as expired', async () => {
  await preview('ending');
  const day = (await create('ending', 'a')).body.spec;
  expect(Date.parse(day.expiresAt) - Date.now()).toBeGreaterThan(86_000_000);
  expect(Date.parse(day.expiresAt) - Date.now()).toBeLessThanOrEqual(86_400_000);
  expect((await create('ending', 'past', { expiresAt: '2020-01-01T00:00:00Z' })).body.spec.expired).toBe(true);
  await create('ending', 'soon', { expiresAt: new Date(Date.now() + 500).toISOString() });
  await sleep(600);
  const listed: { metadata: { name: string }; spec: { expired: boolean } }[] = (await api.admin.get(tokensOf('ending')))
    .body;
  expect(listed.map(({ metadata, spec }) => [metadata.name, spec.expired]).sort()).toEqual([
    ['a', false],
    ['past', true],
    ['soon', true],
  ]);
});

test('a body without a name or with a time that is none is refused, and a missing preview has no tokens', async () => {
  await preview('strict');
  for (const body of [
    {},
    { metadata: {}, spec: {} },
    { metadata: { name: 'a\nb' }, spec: {} },
    { metadata: { name: 'a' } },
  ])
    expect((await api.admin.post(tokensOf('strict'), body)).status).toBe(400);
  for (const expiresAt of ['tomorrow', '2030-01-01', 5])
    expect((await create('strict', 'a', { expiresAt })).status).toBe(400);
  expect((await create('absent', 'a')).status).toBe(404);
  expect((await api.admin.get(tokensOf('absent'))).status).toBe(404);
  expect((await api.admin.delete(`${tokensOf('strict')}/none`)).status).toBe(404);
});

test('a preview has at most 200 tokens that have not expired', async () => {
  await preview('full');
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 20 }, () => create('full', 'a')));
  const refused = await create('full', 'a');
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('Delete one')]);
});
