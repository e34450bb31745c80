import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { limits: { memory: 8192 } } });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const refusal = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

describe.for(['agents', 'functions', 'jobs'])('%s', (path) => {
  const url = 'https://hooks.example.com/done';
  const withTriggers = (name: string, triggers: object[]) => named(name, { triggers });
  const triggersOf = async (name: string) => (await api.admin.get(`/${path}/${name}`)).body.spec.triggers;

  test('a trigger without an id gets one, and duplicates are told apart', async () => {
    const sent = [
      { type: 'http-async' },
      { id: 'mine', type: 'http-async' },
      { id: 'mine', type: 'http-async' },
      { type: 'http-async' },
    ];
    const { body } = await api.admin.post(`/${path}`, withTriggers('ids', sent));
    const ids = body.spec.triggers.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['http-async', 'mine', 'mine-2', 'http-async-2']);
    const again = await api.admin.put(`/${path}/ids`, withTriggers('ids', sent));
    expect(again.body.spec.triggers.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('a schedule that never fires is refused, also in place of one that does', async () => {
    const scheduled = (schedule: string) => withTriggers('leap', [{ type: 'cron', configuration: { schedule } }]);
    expect((await api.admin.post(`/${path}`, scheduled('0 0 29 2 *'))).status).toBe(200);
    const refused = [
      await api.admin.post(`/${path}`, { ...scheduled('0 0 30 2 *'), metadata: { name: 'never' } }),
      await api.admin.put(`/${path}/leap`, scheduled('0 0 31 4 *')),
    ];
    for (const answer of refused) {
      expect(refusal(answer)).toEqual([400, 'invalid_request']);
      expect(JSON.stringify(answer.body)).toMatch(/schedule.*day-of-month and month: .* never fires/);
    }
  });

  test('a callback URL brings a secret that is shown once, masked afterwards, and kept', async () => {
    const sent = [
      { id: 'signed', type: 'http-async', configuration: { callbackUrl: url, callbackSecret: 'mine' } },
      { id: 'plain', type: 'http', configuration: { path: `${path}-x` } },
    ];
    const created = await api.admin.post(`/${path}`, withTriggers('called', sent));
    const [signed, plain] = created.body.spec.triggers;
    expect(signed.configuration.callbackSecret).toMatch(/^[0-9a-f]{64}$/);
    expect(plain.configuration).toEqual({ path: `${path}-x` });
    expect((await triggersOf('called'))[0].configuration.callbackSecret).toBe('***');

    const changed = await api.admin.put(`/${path}/called`, withTriggers('called', [{ ...sent[0], enabled: false }]));
    expect(changed.body.spec.triggers[0].configuration.callbackSecret).toBe('***');
    const revealed = await api.admin.get(`/${path}/called`, { query: { show_secrets: true } });
    expect(revealed.body.spec.triggers[0].configuration.callbackSecret).toBe(signed.configuration.callbackSecret);
    const stored = await api.database.selectFrom('resources').select('spec').where('name', '=', 'called').execute();
    expect(JSON.stringify(stored)).not.toContain(signed.configuration.callbackSecret);

    const without = await api.admin.put(
      `/${path}/called`,
      withTriggers('called', [{ id: 'signed', type: 'http-async', configuration: {} }]),
    );
    expect(without.body.spec.triggers[0].configuration).toEqual({});
    const renewed = await api.admin.put(`/${path}/called`, withTriggers('called', [sent[0] ?? {}]));
    expect(renewed.body.spec.triggers[0].configuration.callbackSecret).toMatch(/^[0-9a-f]{64}$/);
    expect(renewed.body.spec.triggers[0].configuration.callbackSecret).not.toBe(signed.configuration.callbackSecret);
  });

  test('a change that leaves the triggers alone keeps the secret and makes no revision', async () => {
    const sent = [{ id: 'signed', type: 'http-async', configuration: { callbackUrl: url } }];
    await api.admin.post(`/${path}`, withTriggers('quiet', sent));
    await api.admin.put(`/${path}/quiet`, withTriggers('quiet', sent));
    await api.admin.put(`/${path}/quiet`, { metadata: { displayName: 'Quiet' }, spec: {} });
    expect((await api.admin.get(`/${path}/quiet/revisions`)).body).toHaveLength(1);
  });

  test('a guess of a stored secret is a new revision whether it is right or wrong, and a mask is none', async () => {
    const withSecret = (value: string) => named('guessed', { runtime: { envs: [{ name: 'S', value, secret: true }] } });
    await api.admin.post(`/${path}`, withSecret('right'));
    const revisions = async () => (await api.admin.get(`/${path}/guessed/revisions`)).body.length;
    const counts: number[] = [];
    for (const value of ['***', 'right', 'wrong', '***', 'wrong']) {
      expect((await api.admin.put(`/${path}/guessed`, withSecret(value))).status).toBe(200);
      counts.push(await revisions());
    }
    expect(counts).toEqual([1, 2, 3, 3, 4]);
  });

  test('a repeated create with the same idempotency key shows the same secret', async () => {
    const body = withTriggers('repeated', [{ type: 'http-async', configuration: { callbackUrl: url } }]);
    const headers = { 'idempotency-key': `${path}-1` };
    const first = await api.admin.post(`/${path}`, body, { headers });
    const second = await api.admin.post(`/${path}`, body, { headers });
    expect(second.body).toEqual(first.body);
    expect(first.body.spec.triggers[0].configuration.callbackSecret).toMatch(/^[0-9a-f]{64}$/);
  });

  test('memory above the account’s limit is refused with 403', async () => {
    expect(refusal(await api.admin.post(`/${path}`, named('big', { runtime: { memory: 8193 } })))).toEqual([
      403,
      'quota_exceeded',
    ]);
    expect((await api.admin.post(`/${path}`, named('big', { runtime: { memory: 8192 } }))).status).toBe(200);
  });
});

describe.for(['agents', 'functions', 'jobs'])('policies of %s', (path) => {
  test('an unknown policy is refused; a policy that was deleted later stays named', async () => {
    const policy = `p-${path}`;
    const wants = (...policies: string[]) => named('governed', { policies });
    expect(refusal(await api.admin.post(`/${path}`, wants(policy)))).toEqual([400, 'unknown_reference']);
    await api.admin.post('/policies', named(policy, { type: 'location' }));
    expect((await api.admin.post(`/${path}`, wants(policy))).status).toBe(200);
    expect(refusal(await api.admin.put(`/${path}/governed`, wants(policy, 'none')))).toEqual([
      400,
      'unknown_reference',
    ]);
    expect((await api.admin.delete(`/policies/${policy}`)).status).toBe(200);
    expect((await api.admin.put(`/${path}/governed`, wants(policy))).body.spec.policies).toEqual([policy]);
    await api.admin.delete(`/${path}/governed`);
  });
});

test('listed policies say how many resources name them, and usages names those', async () => {
  for (const name of ['used', 'unused']) await api.admin.post('/policies', named(name, { type: 'location' }));
  await api.admin.post('/agents', named('a-one', { policies: ['used', 'used'] }));
  await api.admin.post('/agents', named('a-two', { policies: ['used'] }));
  await api.admin.post('/functions', named('f-one', { policies: ['used'] }));
  const none = { agents: 0, functions: 0, jobs: 0, models: 0, sandboxes: 0 };
  const { body } = await api.admin.get('/policies', { query: { sort: 'name:asc', q: 'used' } });
  expect(body.data.map(({ usage }: { usage: object }) => usage)).toEqual([none, { ...none, agents: 2, functions: 1 }]);
  expect((await api.admin.get('/policies/used/usages')).body).toEqual({
    agents: ['a-one', 'a-two'],
    functions: ['f-one'],
    jobs: [],
    models: [],
    sandboxes: [],
  });
  expect((await api.admin.get('/policies/used')).body.usage).toBeUndefined();
  expect((await api.admin.get('/policies/none/usages')).status).toBe(404);
  await api.addWorkspace('apart');
  const apart = api.admin.with({ workspace: 'apart' });
  await apart.post('/policies', named('used', { type: 'location' }));
  expect((await apart.get('/policies/used/usages')).body.agents).toEqual([]);
});

test.for(['functions', 'models'])('%s refuse an unknown connection and keep a known one from going', async (path) => {
  const connection = `c-${path}`;
  const wants = named('connected', { integrationConnections: [connection] });
  expect(refusal(await api.admin.post(`/${path}`, wants))).toEqual([400, 'unknown_reference']);
  await api.admin.post(
    '/integrations/connections',
    named(connection, { integration: 'github', secret: { TOKEN: 't' } }),
  );
  expect((await api.admin.post(`/${path}`, wants)).status).toBe(200);
  const refused = await api.admin.delete(`/integrations/connections/${connection}`);
  expect([...refusal(refused), refused.body.message]).toEqual([409, 'in_use', expect.stringContaining('connected')]);
  await api.admin.delete(`/${path}/connected`);
  expect((await api.admin.delete(`/integrations/connections/${connection}`)).status).toBe(200);
});

test('a function takes no connection with credentials for tests, and one that it names does not become such a connection', async () => {
  const connect = (name: string, sandbox: boolean) =>
    api.admin.post('/integrations/connections', named(name, { integration: 'github', sandbox }));
  for (const [name, sandbox] of [
    ['trial', true],
    ['live', false],
  ] as const)
    expect((await connect(name, sandbox)).status).toBe(200);
  const wants = (name: string) => named('careful', { integrationConnections: [name] });
  expect(refusal(await api.admin.post('/functions', wants('trial')))).toEqual([400, 'test_connection']);
  expect((await api.admin.post('/functions', wants('live'))).status).toBe(200);
  const change = () => api.admin.put('/integrations/connections/live', named('live', { sandbox: true }));
  expect(refusal(await change())).toEqual([409, 'in_use']);
  await api.admin.delete('/functions/careful');
  expect((await change()).status).toBe(200);
});

test('a connection names an integration that the catalogue knows', async () => {
  const connect = (name: string, integration: string) =>
    api.admin.post('/integrations/connections', named(name, { integration, secret: { CLIENT_ID: 'a' } }));
  expect(refusal(await connect('odd', 'nobody-knows'))).toEqual([400, 'unknown_reference']);
  for (const integration of ['gmail', 'github', 'openai']) {
    const { body } = await connect(integration, integration);
    expect(body.spec).toEqual({ integration, secret: { CLIENT_ID: '***' } });
  }
  const changed = await api.admin.put(
    '/integrations/connections/gmail',
    named('gmail', { integration: 'nobody-knows' }),
  );
  expect(refusal(changed)).toEqual([400, 'unknown_reference']);
});

test('a function without an image needs a connection whose integration the hub serves', async () => {
  const wants = (...integrationConnections: string[]) => ({
    type: 'mcp',
    integrationConnections,
    runtime: { type: 'mcp' },
  });
  expect((await api.admin.post('/functions', named('mail', wants('gmail')))).status).toBe(200);
  expect((await api.admin.post('/functions', named('later', { runtime: { type: 'mcp' } }))).status).toBe(200);
  expect(refusal(await api.admin.post('/functions', named('provider', wants('openai'))))).toEqual([
    400,
    'no_hub_image',
  ]);
  const own = { ...wants('openai'), runtime: { type: 'mcp', image: 'registry.example/own:1' } };
  expect((await api.admin.post('/functions', named('provider', own))).body.spec.runtime.image).toBe(
    'registry.example/own:1',
  );
});

test('a connection cannot go while a function that names it is being created', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = `race-${round}`;
    await api.admin.post('/integrations/connections', named(name, { integration: 'github' }));
    const [made, gone] = await Promise.all([
      api.admin.post('/functions', named(name, { integrationConnections: [name] })),
      api.admin.delete(`/integrations/connections/${name}`),
    ]);
    expect([made.status, gone.status].sort()).not.toEqual([200, 200]);
  }
});

test('an application takes images of its workspace and of registries, with the documented defaults', async () => {
  const { body } = await api.admin.post('/applications', named('site', { image: 'app/site:1' }));
  expect(body.spec).toMatchObject({ image: 'app/site:1', memory: 2048, port: 8080, enabled: true });
  expect(body.status).toBe('DEPLOYING');
  for (const image of ['sandbox/x:1', 'main/x:1', 'registry.example/nginx:1']) {
    expect((await api.admin.put('/applications/site', named('site', { image }))).status).toBe(200);
  }
  expect(refusal(await api.admin.post('/applications', named('huge', { memory: 8193 })))).toEqual([
    403,
    'quota_exceeded',
  ]);
});

test('every change of an application is a revision; the last five stay and hide their secrets', async () => {
  const envs = [{ name: 'TOKEN', value: 'hidden', secret: true }];
  const created = await api.admin.post('/applications', named('kept', { image: 'app/kept:0', envs }));
  expect(created.body.spec.revisions).toMatchObject([{ image: 'app/kept:0', memory: 2048, port: 8080 }]);
  for (let tag = 1; tag <= 6; tag += 1)
    await api.admin.put('/applications/kept', named('kept', { image: `app/kept:${tag}` }));
  const { body } = await api.admin.get('/applications/kept/revisions');
  expect(body.map(({ image }: { image: string }) => image)).toEqual([6, 5, 4, 3, 2].map((tag) => `app/kept:${tag}`));
  expect(new Set(body.map(({ id }: { id: string }) => id)).size).toBe(5);
  expect(body[0]).toMatchObject({
    id: expect.stringMatching(/^rev[-_]/),
    envs: [{ name: 'TOKEN', value: '***', secret: true }],
  });
  expect((await api.admin.get('/applications/kept')).body.spec.revisions).toEqual(body);
  const listed = await api.admin.get('/applications', { query: { q: 'kept' } });
  expect(listed.body.data[0].spec.revisions).toEqual(body);
  const sentBack = await api.admin.put('/applications/kept', (await api.admin.get('/applications/kept')).body);
  expect(sentBack.body.spec.revisions).toEqual(body);
  expect((await api.admin.get('/applications/none/revisions')).status).toBe(404);
});
