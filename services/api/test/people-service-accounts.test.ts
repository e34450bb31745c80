import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { limits: { service_accounts: 6 } } });
  await api.addWorkspace('other');
});
afterAll(() => api[Symbol.asyncDispose]());

const remove = (clientId: string) => api.admin.delete(`/service_accounts/${clientId}`);

test('a service account is created, listed, changed and deleted; its secret is shown once and kept as a hash', async () => {
  const created = await api.admin.post('/service_accounts', { name: 'robot', description: 'builds' });
  const { client_secret: secret, ...shown } = created.body;
  expect(secret).toMatch(/^cs_\w{40}$/);
  expect(shown).toMatchObject({ name: 'robot', description: 'builds', role: 'member' });
  expect((await api.admin.get('/service_accounts')).body).toEqual([shown]);
  const path = `/service_accounts/${shown.client_id}`;
  const changed = await api.admin.put(path, { name: 'builder' });
  expect(changed.body).toMatchObject({ name: 'builder', description: 'builds', role: 'member' });
  expect((await api.admin.put(path, { role: 'admin' })).body).toMatchObject({ name: 'builder', role: 'admin' });
  expect((await api.admin.delete(path)).body).toMatchObject({ client_id: shown.client_id });
  expect((await api.admin.get('/service_accounts')).body).toEqual([]);
  for (const gone of [await api.admin.delete(path), await api.admin.put(path, {})]) expect(gone.status).toBe(404);
});

test('members see service accounts, only admins change them, and another workspace does not find them', async () => {
  const member = await api.user({ memberOf: api.workspace });
  const robot = await api.admin.post('/service_accounts', { name: 'guarded' });
  const path = `/service_accounts/${robot.body.client_id}`;
  expect((await member.client.get('/service_accounts')).body).toHaveLength(1);
  expect((await member.client.get(`${path}/api_keys`)).body).toEqual([]);
  for (const refused of [
    await member.client.post('/service_accounts', { name: 'mine' }),
    await member.client.put(path, { role: 'admin' }),
    await member.client.delete(path),
    await member.client.post(`${path}/api_keys`, {}),
  ]) {
    expect([refused.status, refused.body.error]).toEqual([403, 'role_required']);
  }
  const elsewhere = api.admin.with({ workspace: 'other' });
  const key = (await api.admin.post(`${path}/api_keys`, {})).body;
  for (const missing of [
    await elsewhere.put(path, {}),
    await elsewhere.delete(path),
    await elsewhere.get(`${path}/api_keys`),
    await elsewhere.post(`${path}/api_keys`, {}),
    await elsewhere.delete(`${path}/api_keys/${key.id}`),
    await elsewhere.get('/service_accounts/nonsense/api_keys'),
  ]) {
    expect(missing.status).toBe(404);
  }
  expect((await api.admin.get(`${path}/api_keys`)).body).toHaveLength(1);
  await remove(robot.body.client_id);
});

test('a service account acts in its own workspace with its role, and is refused once it is deleted', async () => {
  const robot = await api.admin.post('/service_accounts', { name: 'worker' });
  const path = `/service_accounts/${robot.body.client_id}`;
  const { apiKey } = (await api.admin.post(`${path}/api_keys`, { name: 'ci' })).body;
  const asRobot = api.admin.with({ key: apiKey, workspace: undefined });
  expect((await asRobot.get('/workspaces')).body).toMatchObject([{ name: api.workspace }]);
  const drive = await asRobot.post('/drives', { metadata: { name: 'by-robot' }, spec: {} });
  expect(drive.body.metadata.createdBy).toBe(robot.body.client_id);
  expect((await asRobot.with({ workspace: 'other' }).get('/drives')).body.error).toBe('workspace_forbidden');
  expect((await asRobot.post('/service_accounts', { name: 'child' })).body.error).toBe('role_required');
  await api.admin.put(path, { role: 'admin' });
  const child = await asRobot.post('/service_accounts', { name: 'child' });
  expect(child.status).toBe(200);
  await api.admin.put(path, { role: 'member' });
  expect((await asRobot.post('/service_accounts', { name: 'child' })).body.error).toBe('role_required');
  await remove(robot.body.client_id);
  expect((await asRobot.get('/drives')).status).toBe(401);
  await remove(child.body.client_id);
});

test('a service account has no personal keys and no invitations, and is told so', async () => {
  const robot = await api.admin.post('/service_accounts', { name: 'impersonal', role: 'admin' });
  const { apiKey } = (await api.admin.post(`/service_accounts/${robot.body.client_id}/api_keys`, {})).body;
  const asRobot = api.admin.with({ key: apiKey });
  for (const { status, body } of [
    await asRobot.get('/profile/api_keys'),
    await asRobot.post('/profile/api_keys', {}),
    await asRobot.delete('/profile/api_keys/ak_any'),
    await asRobot.get('/profile/invitations'),
    await asRobot.post('/workspaces/other/join'),
  ]) {
    expect([status, body.error]).toEqual([403, 'user_required']);
    expect(body.message).toContain('Use a personal API key.');
  }
  await remove(robot.body.client_id);
});

test('the account limit on service accounts holds over all workspaces, also under a race, and deletion gives it back', async () => {
  const elsewhere = api.admin.with({ workspace: 'other' });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? api.admin : elsewhere).post('/service_accounts', { name: `r${index}` }),
    ),
  );
  const made = answers.filter(({ status }) => status === 200);
  expect(made).toHaveLength(6);
  const refused = answers.find(({ status }) => status !== 200);
  expect([refused?.status, refused?.body.error]).toEqual([403, 'quota_exceeded']);
  const [one] = (await api.admin.get('/service_accounts')).body;
  await remove(one.client_id);
  expect((await elsewhere.post('/service_accounts', { name: 'again' })).status).toBe(200);
  expect((await elsewhere.post('/service_accounts', { name: 'too-many' })).status).toBe(403);
});

test('every change leaves its author, action and target in the audit log', async () => {
  const elsewhere = api.admin.with({ workspace: 'other' });
  const [robot] = (await elsewhere.get('/service_accounts')).body;
  const key = (await elsewhere.post(`/service_accounts/${robot.client_id}/api_keys`, {})).body;
  await elsewhere.delete(`/service_accounts/${robot.client_id}/api_keys/${key.id}`);
  await elsewhere.delete(`/service_accounts/${robot.client_id}`);
  const rows = await api.database
    .selectFrom('audit_log')
    .select(['action', 'target', 'subject_type', 'account_id'])
    .where('target', 'in', [`service-account/${robot.client_id}`, `api-key/${key.id}`])
    .orderBy('id')
    .execute();
  expect(rows.map(({ action, target }) => [action, target])).toEqual([
    ['service-account.create', `service-account/${robot.client_id}`],
    ['api-key.create', `api-key/${key.id}`],
    ['api-key.revoke', `api-key/${key.id}`],
    ['service-account.delete', `service-account/${robot.client_id}`],
  ]);
  expect(rows[0]).toMatchObject({ subject_type: 'user', account_id: api.accountId });
});
