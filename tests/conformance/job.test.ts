// Batch jobs. Specification: Batch job; Management endpoints; Events.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

let api: TestApi;
let member: Client;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: [{ name: 'one' }, { name: 'two' }] } });
  member = (await api.user({ memberOf: api.workspace })).client;
  for (const name of ['rule-a', 'rule-b']) await api.admin.post('/policies', named(name));
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const make = (name: string, spec: object = {}) => api.admin.post('/jobs', named(name, spec));
const read = async (name: string) => (await api.admin.get(`/jobs/${name}`)).body;
const refuses = async (...specs: readonly object[]) => {
  for (const spec of specs) expect((await make('odd', spec)).status, JSON.stringify(spec)).toBe(400);
  expect((await api.admin.get('/jobs/odd')).status).toBe(404);
};
const deploymentStatuses = [
  'DELETING',
  'TERMINATED',
  'FAILED',
  'DEACTIVATED',
  'DEACTIVATING',
  'UPLOADING',
  'BUILDING',
  'DEPLOYING',
  'DEPLOYED',
  'BUILT',
];

test('job.shape: a job returns metadata, spec, events and a status of the deployment set, and a body without metadata or spec is refused', async () => {
  const created = await api.admin.post('/jobs', {
    metadata: { name: 'whole', displayName: 'Whole', labels: { team: 'blue' } },
    spec: { runtime: { image: 'job/whole:1' } },
  });
  expect(Object.keys(created.body).sort()).toEqual(['events', 'metadata', 'spec', 'status']);
  expect(created.body).toMatchObject({
    metadata: { name: 'whole', displayName: 'Whole', labels: { team: 'blue' }, workspace: api.workspace },
    spec: { runtime: { image: 'job/whole:1' } },
    events: expect.arrayContaining([expect.objectContaining({ type: expect.any(String), time: expect.any(String) })]),
  });
  expect(deploymentStatuses).toContain(created.body.status);
  const { metadata, spec } = named('part');
  for (const body of [{ metadata }, { spec }, {}, { metadata: null, spec }, { metadata, spec: null }, undefined])
    expect((await api.admin.post('/jobs', body)).status, JSON.stringify(body)).toBe(400);
  expect((await api.admin.get('/jobs/part')).status).toBe(404);
});

test('job.get-by-name: GET /jobs/{jobId} reads the job by its unique name and an unknown name answers 404', async () => {
  const first = await make('by-name', { runtime: { memory: 512 } });
  await make('by-name-too', { runtime: { memory: 1024 } });
  const found = await api.admin.get('/jobs/by-name');
  expect([found.status, found.body]).toEqual([200, first.body]);
  expect((await api.admin.get('/jobs/by-nam')).status).toBe(404);
  expect((await api.admin.get('/jobs/no-such-job')).status).toBe(404);
  const second = await make('by-name', { runtime: { memory: 2048 } });
  expect(second.status).toBe(409);
  expect(await read('by-name')).toEqual(first.body);
});

test('job.read-only: events and status sent in a body of a job are ignored', async () => {
  const claims = { events: [{ type: 'deployment', status: 'FAILED', message: 'Mine.' }], status: 'FAILED' };
  const created = await api.admin.post('/jobs', { ...named('honest'), ...claims });
  const changed = await api.admin.put('/jobs/honest', { ...named('honest'), ...claims });
  for (const { status, body } of [created, changed, await api.admin.get('/jobs/honest')]) {
    expect(status).toBe(200);
    expect(body.status).toBe('DEPLOYED');
    expect(body.events).toEqual(created.body.events);
    expect(JSON.stringify(body.events)).not.toMatch(/Mine|FAILED/);
  }
});

test('job.spec-basics: enabled, region and policies of a job come back as sent, wrong types are refused, and so is a policy that does not exist', async () => {
  const spec = { enabled: false, region: 'two', policies: ['rule-a'] };
  expect((await make('basics', spec)).body.spec).toEqual(spec);
  expect((await read('basics')).spec).toEqual(spec);
  const changed = { enabled: true, region: 'one', policies: [] };
  expect((await api.admin.put('/jobs/basics', named('basics', changed))).body.spec).toEqual(changed);
  await refuses(
    { enabled: 'true' },
    { enabled: 1 },
    { region: 7 },
    { region: ['one'] },
    { policies: ['no-such-rule'] },
    { policies: 'rule-a' },
    { policies: [7] },
    { policies: { name: 'rule-a' } },
  );
});

test('job.github-runner: repositories are accepted as an array, a JSON string or a comma-separated string and come back as an array', async () => {
  const list = ['acme/site', 'acme/tools.js'];
  const forms = [list, JSON.stringify(list), list.join(','), ` ${list.join(' , ')} `];
  for (const [index, repositories] of forms.entries()) {
    const name = `runner-${index}`;
    const created = await make(name, { githubRunner: { repositories } });
    expect(created.body.spec.githubRunner, JSON.stringify(repositories)).toEqual({ repositories: list });
    expect((await read(name)).spec.githubRunner).toEqual({ repositories: list });
  }
  expect((await make('runner-none', { githubRunner: { repositories: '' } })).body.spec.githubRunner).toEqual({
    repositories: [],
  });
  await refuses(
    { githubRunner: { repositories: 7 } },
    { githubRunner: { repositories: [7] } },
    { githubRunner: { repositories: '["acme/site"' } },
    { githubRunner: { repositories: '[7]' } },
    { githubRunner: 'acme/site' },
  );
});

test('job.revision: active, canary, canaryPercent, stickySessionTtl and traffic of a job have their types and wrong types are refused', async () => {
  await make('revised', { runtime: { image: 'job/revised:1' } });
  await api.admin.put('/jobs/revised', named('revised', { runtime: { image: 'job/revised:2' } }));
  const revisions = (await api.admin.get('/jobs/revised/revisions')).body;
  expect(revisions).toHaveLength(2);
  const [canary, active] = revisions.map(({ id }: { id: string }) => id);
  const revision = { active, canary, canaryPercent: 25, stickySessionTtl: 300, traffic: 75 };
  const changed = await api.admin.put('/jobs/revised', named('revised', { revision }));
  expect([changed.status, changed.body.spec.revision]).toEqual([200, revision]);
  expect((await read('revised')).spec.revision).toEqual(revision);
  for (const value of [active, canary]) expect(typeof value).toBe('string');
  await refuses(
    { revision: { active: 7 } },
    { revision: { canary: ['a'] } },
    { revision: { canaryPercent: '25' } },
    { revision: { canaryPercent: 2.5 } },
    { revision: { stickySessionTtl: 'long' } },
    { revision: { stickySessionTtl: 0.5 } },
    { revision: { traffic: true } },
    { revision: { traffic: 1.5 } },
    { revision: 'latest' },
  );
});

test('job.runtime: every runtime field of a job, with its envs and ports, comes back as sent and wrong types are refused', async () => {
  const runtime = {
    diskPercent: 40,
    envs: [
      { name: 'MODE', value: 'fast', secret: false },
      { name: 'PLAIN', value: '' },
    ],
    generation: 'mk3',
    image: 'registry.example.com/team/report:1',
    maxRetries: 2,
    memory: 2048,
    ports: [
      { target: 8080, name: 'web', protocol: 'HTTP' },
      { target: 53, name: 'dns', protocol: 'UDP' },
    ],
    timeout: 1800,
  };
  expect((await make('runtime', { runtime })).body.spec.runtime).toEqual(runtime);
  expect((await read('runtime')).spec.runtime).toEqual(runtime);
  const wrong = [
    { diskPercent: '40' },
    { envs: { MODE: 'fast' } },
    { envs: [{ name: 7, value: 'x' }] },
    { envs: [{ name: 'A', value: 7 }] },
    { envs: [{ name: 'A', value: 'x', secret: 'yes' }] },
    { generation: 3 },
    { image: 7 },
    { maxRetries: '2' },
    { maxRetries: 1.5 },
    { memory: '2048' },
    { memory: 1024.5 },
    { ports: [{ target: '8080' }] },
    { ports: [{ target: 8080, name: 7 }] },
    { ports: [{ target: 8080, protocol: 7 }] },
    { ports: 8080 },
    { timeout: '30m' },
    { timeout: 0.5 },
  ];
  await refuses(...wrong.map((part) => ({ runtime: part })), { runtime: 'job/report:1' });
});

const hidden = 'hunter2-hunter2';
const withSecret = (name: string) =>
  named(name, {
    runtime: {
      envs: [
        { name: 'TOKEN', value: hidden, secret: true },
        { name: 'MODE', value: 'fast', secret: false },
      ],
    },
  });

test('job.secrets-masked: secret env values of a job are masked in every answer without show_secrets', async () => {
  const headers = { 'idempotency-key': 'masked' };
  const created = await api.admin.post('/jobs', withSecret('masked'), { headers });
  const answers = [
    created,
    await api.admin.post('/jobs', withSecret('masked'), { headers }),
    await api.admin.get('/jobs/masked'),
    await api.admin.get('/jobs/masked', { query: { show_secrets: false } }),
    await member.get('/jobs/masked'),
    await api.admin.put('/jobs/masked', withSecret('masked')),
    await api.admin.put('/jobs/masked', created.body),
    await api.admin.put('/jobs/masked', { metadata: { displayName: 'Masked' }, spec: {} }),
  ];
  for (const { status, body, text } of answers) {
    expect(status).toBe(200);
    expect(body.spec.runtime.envs).toEqual([
      { name: 'TOKEN', value: expect.stringMatching(/^\*+$/), secret: true },
      { name: 'MODE', value: 'fast', secret: false },
    ]);
    expect(text).not.toContain(hidden);
  }
  const elsewhere = [
    await api.admin.get('/jobs'),
    await api.admin.with({ version: '2026-04-16' }).get('/jobs'),
    await api.admin.get('/jobs/masked/revisions'),
    await api.admin.delete('/jobs/masked'),
  ];
  for (const { status, text } of elsewhere) {
    expect(status).toBe(200);
    expect(text).not.toContain(hidden);
  }
  expect(elsewhere[0]?.text).toContain('TOKEN');
});

test('job.show-secrets: show_secrets gives a workspace admin the secret values and a member a 403', async () => {
  await api.admin.post('/jobs', withSecret('shown'));
  const query = { show_secrets: true };
  const shown = await api.admin.get('/jobs/shown', { query });
  expect(shown.body.spec.runtime.envs[0]).toEqual({ name: 'TOKEN', value: hidden, secret: true });
  const other = await api.user({ memberOf: api.workspace, role: 'admin' });
  expect((await other.client.get('/jobs/shown', { query })).body.spec).toEqual(shown.body.spec);
  const refused = await member.get('/jobs/shown', { query });
  expect(refused.status).toBe(403);
  expect(refused.text).not.toContain(hidden);
  expect((await member.get('/jobs/shown', { query: { show_secrets: false } })).status).toBe(200);
  // A mask sent back keeps the stored secret.
  await api.admin.put('/jobs/shown', (await api.admin.get('/jobs/shown')).body);
  expect((await api.admin.get('/jobs/shown', { query })).body.spec.runtime.envs[0].value).toBe(hidden);
});

test('job.triggers: triggers of a job return id, type, enabled and every configuration field in their types', async () => {
  const configuration = {
    authenticationType: 'private',
    callbackUrl: 'https://hooks.example.com/done',
    path: 'nightly/report',
    retry: 3,
    schedule: '*/5 2 * * 1-5',
    tasks: [{ city: 'Oslo' }, { deep: { list: [1, 'two', null, true] } }, {}],
    timeout: 600,
  };
  const triggers = [
    { id: 'nightly', type: 'cron', enabled: false, configuration },
    { id: 'web', type: 'http', enabled: true, configuration: { path: 'start' } },
  ];
  const created = await make('triggered', { triggers });
  expect(created.body.spec.triggers).toEqual([
    { ...triggers[0], configuration: { ...configuration, callbackSecret: expect.stringMatching(/^\w{16,}$/) } },
    triggers[1],
  ]);
  const secret: string = created.body.spec.triggers[0].configuration.callbackSecret;
  const [later] = (await read('triggered')).spec.triggers;
  expect(later).toEqual({
    ...triggers[0],
    configuration: { ...configuration, callbackSecret: expect.stringMatching(/^\*+$/) },
  });
  const shown = await api.admin.get('/jobs/triggered', { query: { show_secrets: true } });
  expect(shown.body.spec.triggers[0].configuration.callbackSecret).toBe(secret);
  const made = (await make('trigger-defaults', { triggers: [{ type: 'http-async' }] })).body.spec.triggers;
  expect(made).toEqual([{ id: expect.stringMatching(/./), type: 'http-async', enabled: true }]);
  const wrong = [
    { authenticationType: 7 },
    { callbackUrl: 7 },
    { callbackUrl: 'not an address' },
    { path: 7 },
    { retry: '3' },
    { retry: 1.5 },
    { schedule: 5 },
    { schedule: 'every night' },
    { schedule: '61 * * * *' },
    { tasks: { city: 'Oslo' } },
    { tasks: ['Oslo'] },
    { timeout: '10m' },
  ];
  await refuses(
    ...wrong.map((part) => ({ triggers: [{ type: 'cron', configuration: part }] })),
    { triggers: [{ type: 7 }] },
    { triggers: [{ type: 'http', enabled: 'yes' }] },
    { triggers: [{ type: 'http', id: 7 }] },
    { triggers: { type: 'http' } },
    { triggers: [{ type: 'http' }] },
    { triggers: [{ type: 'http', configuration: { path: 'a b' } }] },
    { triggers: [{ type: 'http', configuration: { path: 'agents/a' } }] },
  );
});

test('job.volumes: volumes of a job keep mountPath, name, sizeMb, type and readOnly in their types', async () => {
  const volumes = [
    { mountPath: '/scratch', name: 'scratch', sizeMb: 64, type: 'ephemeral', readOnly: false },
    { mountPath: '/cache/deep', name: 'cache', sizeMb: 128, type: 'ephemeral', readOnly: true },
  ];
  expect((await make('mounting', { volumes })).body.spec.volumes).toEqual(volumes);
  expect((await read('mounting')).spec.volumes).toEqual(volumes);
  const wrong = [{ mountPath: 7 }, { name: 7 }, { sizeMb: '64' }, { sizeMb: 1.5 }, { type: 7 }, { readOnly: 'yes' }];
  await refuses(...wrong.map((part) => ({ volumes: [{ ...volumes[0], ...part }] })), { volumes: volumes[0] ?? {} });
});
