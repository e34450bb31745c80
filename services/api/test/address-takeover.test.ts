// The address of a deleted workload or workspace may still be linked from elsewhere, so no other account may take it
// soon after.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount, type FurtherAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
let thief: FurtherAccount;
beforeAll(async () => {
  api = await startTestApi({
    config: { regions: [{ name: 'one' }], workloadDomain: 'run.example', workloadScheme: 'https' },
  });
  thief = await addAccount(api, 'thief');
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const urlOf = async (client: TestApi['admin'], path: string, name: string): Promise<string> => {
  const { body } = await client.post(`/${path}`, named(name));
  return body.metadata.url;
};

test('another account cannot take over the name of a deleted workspace within 30 days; its own account can', async () => {
  await api.admin.post('/workspaces', { name: 'famous' });
  await api.admin.delete('/workspaces/famous');
  const isFree = async (client: TestApi['admin']) =>
    (await client.post('/workspaces/availability', { name: 'famous' })).body;
  expect(await isFree(thief.client)).toBe(false);
  expect((await thief.client.post('/workspaces', { name: 'famous' })).status).toBe(409);
  expect(await isFree(api.admin)).toBe(true);
  expect((await api.admin.post('/workspaces', { name: 'famous' })).status).toBe(200);

  await api.admin.delete('/workspaces/famous');
  await sql`update released_workspace_names set released_at = released_at - interval '31 days'`.execute(api.database);
  expect(await isFree(thief.client)).toBe(true);
  expect((await thief.client.post('/workspaces', { name: 'famous' })).status).toBe(200);
});

test('another account cannot take over a deleted agent’s address by moving a hyphen between the names', async () => {
  await api.admin.post('/workspaces', { name: 'web-team' });
  const owner = api.admin.with({ workspace: 'web-team' });
  const url = await urlOf(owner, 'agents', 'shop');
  expect(url).toBe('https://agt-shop-web-team.one.run.example');
  await owner.delete('/agents/shop');
  await thief.client.post('/workspaces', { name: 'team' });
  expect(await urlOf(thief.client.with({ workspace: 'team' }), 'agents', 'shop-web')).toMatch(
    /^https:\/\/agt-shop-web-[0-9a-f]{8}\.one/,
  );
  // The older workspace keeps its address.
  expect(await urlOf(owner, 'agents', 'shop')).toBe(url);
});

test('another account cannot take over a deleted preview’s address by moving a hyphen between the names', async () => {
  await api.admin.post('/workspaces', { name: 'demo-crew' });
  const owner = api.admin.with({ workspace: 'demo-crew' });
  const previewUrl = async (client: TestApi['admin'], prefixUrl: string): Promise<string> => {
    await client.post('/sandboxes', named('box'));
    const made = await client.post('/sandboxes/box/previews', named('page', { port: 3000, prefixUrl, public: true }));
    expect(made.body.message).toBeUndefined();
    return made.body.spec.url;
  };
  const url = await previewUrl(owner, 'site');
  expect(url).toContain('site-demo-crew.');
  await owner.delete('/sandboxes/box/previews/page');
  await thief.client.post('/workspaces', { name: 'crew' });
  expect(await previewUrl(thief.client.with({ workspace: 'crew' }), 'site-demo')).toMatch(/site-demo-[0-9a-f]{8}\./);
  expect(await previewUrl(owner, 'site')).toBe(url);
});
