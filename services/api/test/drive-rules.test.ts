import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const drive = (name: string, spec: object = {}) => ({ metadata: { name }, spec });

test('a drive gets an infrastructure id and the home region at creation, and keeps them', async () => {
  const created = await api.admin.put('/drives/mine', drive('mine', { size: 2, infrastructureId: 'drv-chosen' }));
  expect(created.body.spec).toEqual({
    size: 2,
    region: 'local',
    infrastructureId: expect.stringMatching(/^drv-[0-9a-f]{12}$/),
  });
  expect(created.body.metadata.url).toMatch(/\/v0\/drives\/mine$/);
  expect(created.body.state).toEqual({});
  const again = await api.admin.put('/drives/mine', created.body);
  expect(again.body.spec).toEqual(created.body.spec);
});

test('a drive token names one drive and verifies with the public keys alone', async () => {
  const issued = await api.admin.post('/drives/mine/access-token');
  expect(issued.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
  const [head = '', claims = '', signature = ''] = issued.body.access_token.split('.');
  const { body } = await api.admin.with({ key: undefined, workspace: undefined }).get('/drives/jwks.json');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const jwk = body.keys.find(({ kid }: { kid: string }) => kid === header.kid);
  const signed = Buffer.from(`${head}.${claims}`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify(null, signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ drive: 'mine', workspace: 'main' });
});

test('there is no token for a drive that is missing or belongs to another workspace', async () => {
  await api.addWorkspace('elsewhere');
  const other = api.admin.with({ workspace: 'elsewhere' });
  expect((await api.admin.post('/drives/none/access-token')).status).toBe(404);
  expect((await other.post('/drives/mine/access-token')).status).toBe(404);
});

test('many writers that put one new drive at once all succeed, and there is one drive', async () => {
  const asked = Array.from({ length: 10 }, () => api.admin.put('/drives/together', drive('together', { size: 1 })));
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(new Set(answers.map(({ body }) => body.spec.infrastructureId)).size).toBe(1);
  expect((await api.admin.get('/drives')).body.meta.total).toBe(2);
});
