// Connections, and functions made from them. Specification: Integration connection; Function; the flow for integration
// connections. The steps between a customer and an identity provider are outside the service; only the last step is
// tested.
import { headerNames } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

const workspaceHeader = headerNames(conformanceBrand()).workspace;
const connections = '/integrations/connections';

let api: TestApi;
/** Client without a default workspace: each request carries the header that the specification names. */
let backend: Client;
beforeAll(async () => {
  api = await startTestApi();
  backend = api.admin.with({ workspace: undefined });
  await api.addWorkspace('beside');
});
afterAll(() => api[Symbol.asyncDispose]());

const inWorkspace = (workspace: string) => ({ headers: { [workspaceHeader]: workspace } });
const post = (path: string, body: unknown, workspace = api.workspace) =>
  backend.post(path, body, inWorkspace(workspace));
const get = (path: string, workspace = api.workspace) => backend.get(path, inWorkspace(workspace));

const secret = {
  CLIENT_ID: 'client-id-of-somebody',
  CLIENT_SECRET: 'client-secret-of-somebody',
  REFRESH_TOKEN: 'refresh-token-of-somebody',
};
const masked = Object.fromEntries(Object.keys(secret).map((name) => [name, expect.stringMatching(/^\*+$/)]));
const connection = (name: string, values: object = secret) => ({
  metadata: { name, displayName: `Mail of ${name}` },
  spec: { integration: 'gmail', secret: values },
});
const mcpServer = (name: string, ...integrationConnections: string[]) => ({
  metadata: { name, displayName: `Server of ${name}` },
  spec: { type: 'mcp', integrationConnections, runtime: { type: 'mcp' } },
});

test('integration.connection-create: posting a connection with the workspace header stores it in that workspace', async () => {
  const created = await post(connections, connection('stored'), 'beside');
  expect(created.status).toBe(200);
  expect(created.body.metadata).toMatchObject({ name: 'stored', workspace: 'beside' });
  expect((await get(`${connections}/stored`, 'beside')).body).toEqual(created.body);
  expect((await get(`${connections}/stored`)).status).toBe(404);
  expect((await post(connections, connection('stored'), 'beside')).status).toBe(409);
  expect((await post(connections, connection('stored'), 'no-such-workspace')).status).toBe(403);
  // Without the header the workspace is unknown.
  expect((await backend.post(connections, connection('nowhere'))).status).toBe(400);
  const stranger = await api.user();
  expect((await stranger.client.post(connections, connection('theirs'), inWorkspace('beside'))).status).toBe(403);
  expect((await get(`${connections}/theirs`, 'beside')).status).toBe(404);
});

test('integration.connection-fields: a connection keeps name, displayName and integration, and spec.secret maps strings to strings', async () => {
  const { body } = await post(connections, connection('kept'));
  expect(body).toMatchObject({
    metadata: { name: 'kept', displayName: 'Mail of kept' },
    spec: { integration: 'gmail' },
  });
  const read = (await get(`${connections}/kept`)).body;
  expect(read).toEqual(body);
  expect(read.spec).toEqual({ integration: 'gmail', secret: masked });
  const wrong = [['x'], 'x', { CLIENT_ID: 7 }, { CLIENT_ID: null }, { CLIENT_ID: { value: 'x' } }];
  for (const values of wrong) {
    const refused = await post(connections, { metadata: { name: 'odd' }, spec: { secret: values } });
    expect(refused.status, JSON.stringify(values)).toBe(400);
  }
  for (const body of [
    { metadata: { name: 'odd' }, spec: { integration: 7 } },
    { metadata: { name: 'odd', displayName: 7 }, spec: {} },
    { metadata: { name: 7 }, spec: {} },
    { metadata: { name: 'odd' } },
    { spec: { integration: 'gmail' } },
  ])
    expect((await post(connections, body)).status, JSON.stringify(body)).toBe(400);
  expect((await get(`${connections}/odd`)).status).toBe(404);
});

test('integration.connection-secret-masked: CLIENT_ID, CLIENT_SECRET and REFRESH_TOKEN are taken in spec.secret and come back masked', async () => {
  const created = await post(connections, connection('masked'));
  const item = `${connections}/masked`;
  const member = await api.user({ memberOf: api.workspace });
  const answers = [
    created,
    await get(item),
    await member.client.get(item),
    await backend.put(item, created.body, inWorkspace(api.workspace)),
    await backend.put(item, connection('masked'), inWorkspace(api.workspace)),
  ];
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.spec.secret).toEqual(masked);
  }
  const listed = await get(connections);
  const found = listed.body.find(({ metadata }: { metadata: { name: string } }) => metadata.name === 'masked');
  expect(found.spec.secret).toEqual(masked);
  const stored = await api.database
    .selectFrom('resources')
    .selectAll()
    .where('kind', '=', 'integrationconnection')
    .execute();
  const texts = [...answers, listed].map(({ text }) => text);
  for (const text of [...texts, JSON.stringify(stored)])
    for (const value of Object.values(secret)) expect(text).not.toContain(value);
  expect(JSON.stringify(stored)).toContain('REFRESH_TOKEN');
});

test('integration.function-create: posting a function with the workspace header and the name of a connection stores it, and an unknown connection is refused with 400', async () => {
  await post(connections, connection('mail'), 'beside');
  const created = await post('/functions', mcpServer('server', 'mail'), 'beside');
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({
    metadata: { name: 'server', workspace: 'beside' },
    spec: { integrationConnections: ['mail'] },
  });
  expect((await get('/functions/server', 'beside')).body).toEqual(created.body);
  expect((await get('/functions/server')).status).toBe(404);
  for (const value of Object.values(secret)) expect(created.text).not.toContain(value);
  // A connection of another workspace gets the same response as a missing one.
  for (const [name, workspace] of [
    ['no-such-connection', 'beside'],
    ['mail', api.workspace],
  ] as const) {
    const refused = await post('/functions', mcpServer('lost', name), workspace);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(name)]);
    expect((await get('/functions/lost', workspace)).status).toBe(404);
  }
  const half = await post('/functions', mcpServer('lost', 'mail', 'no-such-connection'), 'beside');
  expect(half.status).toBe(400);
});

test('integration.function-fields: a function keeps name, displayName, type mcp, runtime type mcp and its connection names', async () => {
  for (const name of ['first', 'second']) await post(connections, connection(name));
  const sent = mcpServer('typed', 'second', 'first');
  const created = await post('/functions', sent);
  expect(created.body).toMatchObject(sent);
  const read = (await get('/functions/typed')).body;
  expect(read).toEqual(created.body);
  expect(read.spec.integrationConnections).toEqual(['second', 'first']);
  const wrong = [
    { type: 'agent' },
    { type: 7 },
    { runtime: { type: 'agent' } },
    { runtime: 'mcp' },
    { integrationConnections: 'first' },
    { integrationConnections: [7] },
  ];
  for (const part of wrong) {
    const refused = await post('/functions', { metadata: { name: 'odd' }, spec: { ...sent.spec, ...part } });
    expect(refused.status, JSON.stringify(part)).toBe(400);
  }
  expect((await get('/functions/odd')).status).toBe(404);
});

test("integration.tenants-apart: two tenants each hold a connection and a function of the same name and neither sees the other's", async () => {
  const tenant = async (workspace: string) => {
    const { id, client } = await api.user();
    const accountId = uuidv7();
    await api.database
      .insertInto('accounts')
      .values({
        id: accountId,
        display_name: workspace,
        owner_email: `${workspace}@example.com`,
        plan: 'free',
        tier: 'tier_9',
      })
      .execute();
    await api.database
      .insertInto('account_members')
      .values({ account_id: accountId, user_id: id, role: 'admin' })
      .execute();
    expect((await client.post('/workspaces', { name: workspace, accountId })).status).toBe(200);
    const place = inWorkspace(workspace);
    const made = await client.post(connections, connection('crm', { REFRESH_TOKEN: `token-of-${workspace}` }), place);
    const server = await client.post('/functions', mcpServer('crm', 'crm'), place);
    expect([made.status, server.status]).toEqual([200, 200]);
    return { workspace, client, place, connection: made.body, server: server.body };
  };
  const tenants = [await tenant('tenant-a'), await tenant('tenant-b')];
  for (const { workspace, client, place, connection: own, server } of tenants) {
    expect((await client.get(connections, place)).body).toEqual([own]);
    expect((await client.get('/functions', place)).body.data).toEqual([server]);
    expect((await client.get(`${connections}/crm`, place)).body).toEqual(own);
    expect((await client.get('/functions/crm', place)).body).toEqual(server);
    expect([own.metadata.workspace, server.metadata.workspace]).toEqual([workspace, workspace]);
    const other = tenants.find((one) => one.workspace !== workspace);
    for (const path of [connections, `${connections}/crm`, '/functions', '/functions/crm'])
      expect((await client.get(path, other?.place)).status, path).toBe(403);
    expect((await client.delete('/functions/crm', other?.place)).status).toBe(403);
    expect((await client.post('/functions', mcpServer('more', 'crm'), other?.place)).status).toBe(403);
  }
  const [first, second] = tenants;
  expect(first?.server.metadata.url).not.toBe(second?.server.metadata.url);
  expect((await first?.client.delete('/functions/crm', first.place))?.status).toBe(200);
  expect((await first?.client.delete(`${connections}/crm`, first.place))?.status).toBe(200);
  expect((await second?.client.get('/functions/crm', second.place))?.body).toEqual(second?.server);
  expect((await second?.client.get(`${connections}/crm`, second.place))?.body).toEqual(second?.connection);
});
