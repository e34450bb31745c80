import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    tier: 'tier_1',
    config: { limits: { policies: 7, jobs: 3 }, tiers: { tier_1: { jobs: 2, sandboxes: 50, sandbox_ttl: 30 } } },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const quotas = async (client = api.admin): Promise<Record<string, number>> => {
  const { body } = await client.get(`/quotas/account/${api.accountId}`);
  return Object.fromEntries(
    body.map(({ resourceType, value }: { resourceType: string; value: number }) => [resourceType, value]),
  );
};

test('an account is shown to its admins with its plan, its owner and its admins', async () => {
  const { body } = await api.admin.get(`/accounts/${api.accountId}`);
  expect(body).toMatchObject({
    id: api.accountId,
    metadata: { displayName: 'Example', ownerEmail: 'owner@example.com' },
    spec: { subscription: { plan: 'self-hosted', tier: 'tier_1' } },
  });
  expect(body.spec.admins).toHaveLength(1);
  expect((await api.admin.get('/accounts')).body).toEqual([body]);
});

test('a foreign and a missing account are the same 404', async () => {
  const stranger = await api.user();
  expect((await stranger.client.get('/accounts')).body).toEqual([]);
  for (const path of ['/accounts', '/quotas/account']) {
    const foreign = await stranger.client.get(`${path}/${api.accountId}`);
    expect(foreign.status).toBe(404);
    for (const id of [crypto.randomUUID(), 'nonsense']) {
      expect((await stranger.client.get(`${path}/${id}`)).text).toBe(foreign.text);
    }
  }
});

test('the limits of an account are the built-in ones, then the deployment’s, the tier’s and its own', async () => {
  const member = await api.user({ memberOf: api.workspace });
  const shown = await quotas(member.client);
  expect(shown).toMatchObject({ policies: 7, jobs: 2, sandboxes: 50, sandbox_ttl: 30, memory: 262_144 });
  expect(Object.keys(shown)).toEqual(Object.keys(shown).toSorted());
  await api.database
    .updateTable('accounts')
    .set({ quotas: JSON.stringify({ jobs: 1 }) })
    .execute();
  await expect.poll(async () => (await quotas()).jobs).toBe(1);
  await api.database.updateTable('accounts').set({ quotas: '{}' }).execute();
  await expect.poll(async () => (await quotas()).jobs).toBe(2);
});

test('a limit is shared by all workspaces of the account, and a deleted workspace gives its part back', async () => {
  const job = (name: string) => ({ metadata: { name }, spec: {} });
  expect((await api.admin.post('/workspaces', { name: 'second' })).status).toBe(200);
  const second = api.admin.with({ workspace: 'second' });
  expect((await api.admin.post('/jobs', job('one'))).status).toBe(200);
  expect((await second.post('/jobs', job('two'))).status).toBe(200);
  const refused = await api.admin.post('/jobs', job('three'));
  expect([refused.status, refused.body.error]).toEqual([403, 'quota_exceeded']);
  expect((await api.admin.delete('/workspaces/second')).status).toBe(200);
  expect((await api.admin.post('/jobs', job('three'))).status).toBe(200);
  expect((await api.admin.post('/jobs', job('four'))).status).toBe(403);
});

test('every limit that is shown is also checked', async () => {
  const shown = Object.keys(await quotas());
  expect(shown).toEqual(
    expect.arrayContaining([
      'instances',
      'memory_mb',
      'execution_bytes',
      'job_parallel_executions',
      'agents',
      'drives',
      'vpcs',
    ]),
  );
  for (const unchecked of ['users', 'revisions', 'triggers']) expect(shown).not.toContain(unchecked);
});

test('workspaces have a limit, so that limits per workspace cannot be multiplied', async () => {
  await api.database
    .updateTable('accounts')
    .set({ quotas: JSON.stringify({ workspaces: 2 }) })
    .execute();
  await expect.poll(async () => (await quotas()).workspaces).toBe(2);
  expect((await api.admin.post('/workspaces', { name: 'third-a' })).status).toBe(200);
  const refused = await api.admin.post('/workspaces', { name: 'third-b' });
  expect([refused.status, refused.body.error]).toEqual([403, 'quota_exceeded']);
  expect(refused.body.message).toContain('limit of 2 for workspaces');
  expect((await api.admin.delete('/workspaces/third-a')).status).toBe(200);
  expect((await api.admin.post('/workspaces', { name: 'third-b' })).status).toBe(200);
});
