import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    config: { regions: [{ name: 'one' }, { name: 'two' }], workloadDomain: 'run.example', workloadScheme: 'https' },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });

test.for([
  'agents',
  'applications',
  'drives',
  'functions',
  'jobs',
  'sandboxes',
  'volumes',
  'vpcs/default/egressgateways',
])('%s refuses a region that is not the operator’s, naming the field', async (path) => {
  const { status, body } = await api.admin.post(`/${path}`, named('lost', { region: 'mars' }));
  expect(status).toBe(400);
  expect(body.message).toBe('spec.region is mars, which is not a region of this deployment. Choose one of: one, two.');
});

test('custom domains refuse an unknown region too', async () => {
  const { status } = await api.admin.post('/customdomains', named('lost.example.com', { region: 'mars' }));
  expect(status).toBe(400);
});

test.for(['drives', 'volumes', 'sandboxes'])(
  '%s store the workspace’s region when none or auto is given',
  async (path) => {
    expect((await api.admin.post(`/${path}`, named('nowhere'))).body.spec.region).toBe('one');
    expect((await api.admin.post(`/${path}`, named('anywhere', { region: 'auto' }))).body.spec.region).toBe('one');
    await api.database.updateTable('workspaces').set({ region: 'two' }).where('name', '=', 'main').execute();
    expect((await api.admin.post(`/${path}`, named('home'))).body.spec.region).toBe('two');
    await api.database.updateTable('workspaces').set({ region: 'one' }).where('name', '=', 'main').execute();
  },
);

test.for(['agents', 'functions', 'jobs'])('%s stay everywhere unless they are pinned', async (path) => {
  const { body } = await api.admin.post(`/${path}`, named('global', { region: 'auto' }));
  expect(body.spec.region).toBeUndefined();
  expect((await api.admin.post(`/${path}`, named('pinned', { region: 'two' }))).body.spec.region).toBe('two');
});

test.for([
  ['agents', 'agt'],
  ['functions', 'mcp'],
  ['models', 'mdl'],
  ['sandboxes', 'sbx'],
])('%s answer at a host name of their own', async ([path, prefix]) => {
  const { body } = await api.admin.post(`/${path}`, named('addressed'));
  expect(body.metadata.url).toBe(`https://${prefix}-addressed-main.one.run.example`);
  expect((await api.admin.get(`/${path}/addressed`)).body.metadata.url).toBe(body.metadata.url);
  expect(body.state).toBeUndefined();
  const listed = await api.admin.get(`/${path}`, { query: { q: 'addressed' } });
  expect(listed.body.data[0].metadata.url).toBe(body.metadata.url);
});

test('a job’s address is where its executions start', async () => {
  const { body } = await api.admin.post('/jobs', named('batch'));
  expect(body.metadata.url).toBe(`${api.url}/main/jobs/batch/executions`);
});

test('a workload that is pinned elsewhere moves its address', async () => {
  await api.admin.post('/agents', named('mover'));
  const moved = await api.admin.put('/agents/mover', named('mover', { region: 'two' }));
  expect(moved.body.metadata.url).toBe('https://agt-mover-main.two.run.example');
  const left = await api.database
    .selectFrom('host_labels')
    .select('region')
    .where('label', '=', 'agt-mover-main')
    .execute();
  expect(left).toEqual([{ region: 'two' }]);
});

test('a host name that does not fit, or that another workspace has, ends in the short id of the workspace', async () => {
  const { id } = await api.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', 'main')
    .executeTakeFirstOrThrow();
  const short = id.slice(-8);
  const urlOf = async (name: string, client = api.admin) =>
    (await client.post('/agents', named(name))).body.metadata.url as string;
  await api.addWorkspace('b-main');
  expect(await urlOf('a', api.admin.with({ workspace: 'b-main' }))).toBe('https://agt-a-b-main.one.run.example');
  expect(await urlOf('a-b')).toBe(`https://agt-a-b-${short}.one.run.example`);
  const long = 'n'.repeat(49);
  await api.addWorkspace('w'.repeat(32));
  const wide = await urlOf(long, api.admin.with({ workspace: 'w'.repeat(32) }));
  expect(new URL(wide).hostname.split('.')[0]).toMatch(new RegExp(`^agt-${long}-[0-9a-f]{8}$`));
});

test('a deleted workload frees its host name', async () => {
  for (const _round of [1, 2]) {
    const { body } = await api.admin.post('/sandboxes', named('again'));
    expect(body.metadata.url).toBe('https://sbx-again-main.one.run.example');
    await api.admin.delete('/sandboxes/again');
  }
});

test('workloads are addressed by a path of the gateway where the operator has no certificate for wildcard names', async () => {
  await using plain = await startTestApi({
    config: { workloadUrls: 'paths', gatewayUrl: 'https://gateway.example/' },
  });
  for (const path of ['agents', 'functions', 'models', 'sandboxes']) {
    const { body } = await plain.admin.post(`/${path}`, named('addressed'));
    expect(body.metadata.url).toBe(`https://gateway.example/main/${path}/addressed`);
  }
});
