// Workspaces. Specification: Workspace; States and transitions; Management endpoints.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeDeleted } from '../../services/orchestrator/test/remove-deleted.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

const steps = ['created', 'account_binded', 'account_configured', 'workspace_configured', 'ready'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: [{ name: 'one' }, { name: 'two' }] } });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const make = (name: string, more: object = {}) => api.admin.post('/workspaces', { name, ...more });
const read = async (name: string) => (await api.admin.get(`/workspaces/${name}`)).body;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('workspace.identity: a workspace gets a generated id that no body can set', async () => {
  const wanted = '01890000-0000-7000-8000-000000000000';
  const first = await make('identity-a', { id: wanted });
  const second = await make('identity-b', { id: wanted });
  for (const { body } of [first, second]) {
    expect(body.id).toMatch(uuid);
    expect(body.id).not.toBe(wanted);
  }
  expect(second.body.id).not.toBe(first.body.id);
  const changed = await api.admin.put('/workspaces/identity-a', { id: wanted });
  expect([changed.status, changed.body.id]).toEqual([200, first.body.id]);
  expect((await read('identity-a')).id).toBe(first.body.id);
});

test('workspace.fields: a workspace returns name, displayName, accountId, region, labels, groupMappings and runtime.generation in their types', async () => {
  const settings = {
    displayName: 'Every field',
    region: 'two',
    labels: { team: 'blue', 'cost/centre': '7' },
    groupMappings: [],
    runtime: { generation: 'mk3' },
  };
  const created = await make('fields', settings);
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({ name: 'fields', accountId: api.accountId, ...settings });
  expect(await read('fields')).toEqual(created.body);
  expect((await api.admin.get('/workspaces')).body).toContainEqual(created.body);
  const next = { displayName: 'Changed', labels: { only: 'this' }, runtime: {} };
  const changed = await api.admin.put('/workspaces/fields', next);
  expect(changed.body).toMatchObject({ name: 'fields', region: 'two', ...next });
  expect(changed.body.labels).toEqual(next.labels);
  const wrong = [
    { name: 7 },
    { displayName: 7 },
    { accountId: 7 },
    { region: 7 },
    { labels: ['blue'] },
    { labels: { team: 7 } },
    { groupMappings: { engineers: 'member' } },
    { runtime: 'mk3' },
    { runtime: { generation: 3 } },
    { runtime: { generation: 'mk2' } },
  ];
  for (const part of wrong) expect((await make('odd', part)).status, JSON.stringify(part)).toBe(400);
  expect((await api.admin.get('/workspaces/odd')).status).toBe(404);
});

test('workspace.group-mappings: an empty groupMappings is kept, and a mapping is refused while there is no directory', async () => {
  expect((await make('mapped', { groupMappings: [] })).body.groupMappings).toEqual([]);
  const groupMappings = [{ groupName: 'Platform Engineers (EU)', role: 'admin' }];
  const refused = await api.admin.put('/workspaces/mapped', { groupMappings });
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('no directory')]);
  expect((await make('unmapped', { groupMappings })).status).toBe(400);
  const wrong = [{ groupName: 'x' }, { role: 'member' }, {}, 'x', { groupName: 7, role: 'member' }];
  for (const mapping of [...wrong, { groupName: 'x', role: 7 }, { groupName: '', role: 'member' }]) {
    const body = { groupMappings: [mapping] };
    expect((await make('unmapped', body)).status, JSON.stringify(mapping)).toBe(400);
    expect((await api.admin.put('/workspaces/mapped', body)).status, JSON.stringify(mapping)).toBe(400);
  }
  expect((await read('mapped')).groupMappings).toEqual([]);
  expect((await api.admin.get('/workspaces/unmapped')).status).toBe(404);
});

test('workspace.read-only: id, status, statusReason, resourceCounts, times and owners sent in a body change nothing', async () => {
  const claims = {
    id: '01890000-0000-7000-8000-000000000000',
    status: 'error',
    statusReason: 'Mine.',
    resourceCounts: { drives: 99 },
    createdAt: '2001-01-01T00:00:00.000Z',
    updatedAt: '2001-01-01T00:00:00.000Z',
    createdBy: 'nobody',
    updatedBy: 'nobody',
  };
  const before = Date.now();
  const owner = (await read(api.workspace)).createdBy;
  const created = await make('honest', claims);
  const changed = await api.admin.put('/workspaces/honest', { ...claims, displayName: 'Honest' });
  for (const body of [created.body, changed.body, await read('honest')]) {
    expect(body).toMatchObject({ id: created.body.id, status: 'ready', createdBy: owner, updatedBy: owner });
    expect(body.id).not.toBe(claims.id);
    expect(body).not.toHaveProperty('statusReason');
    expect(body).not.toHaveProperty('resourceCounts');
    expect(body.createdAt).toBe(created.body.createdAt);
    for (const time of [body.createdAt, body.updatedAt]) expect(Date.parse(time)).toBeGreaterThanOrEqual(before - 1);
  }
});

test('workspace.times-and-owners: a workspace says when and by whom it was created and last changed', async () => {
  const creator = await api.user({ account: 'admin' });
  const before = Date.now();
  const created = (await creator.client.post('/workspaces', { name: 'owned' })).body;
  expect(created).toMatchObject({ createdBy: creator.id, updatedBy: creator.id });
  for (const time of [created.createdAt, created.updatedAt]) {
    expect(new Date(time).toISOString()).toBe(time);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now() + 1);
  }
  const other = await api.user({ memberOf: 'owned', role: 'admin' });
  const changed = (await other.client.put('/workspaces/owned', { displayName: 'Owned' })).body;
  expect(changed).toMatchObject({ createdAt: created.createdAt, createdBy: creator.id, updatedBy: other.id });
  expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(created.updatedAt));
  expect((await creator.client.get('/workspaces/owned')).body).toEqual(changed);
});

test('workspace.resource-counts: resourceCounts holds the fourteen kinds with true counts with countResources=true and is absent without it', async () => {
  await make('counted');
  const inside = api.admin.with({ workspace: 'counted' });
  const counts = async () =>
    (await api.admin.get('/workspaces/counted', { query: { countResources: true } })).body.resourceCounts;
  const none = {
    agents: 0,
    functions: 0,
    models: 0,
    sandboxes: 0,
    policies: 0,
    jobs: 0,
    volumes: 0,
    drives: 0,
    volumetemplates: 0,
    integrationconnections: 0,
    previews: 0,
    customdomains: 0,
    serviceaccounts: 0,
    images: 0,
  };
  expect(await counts()).toEqual(none);
  // A different number of each kind, so that swapped counts would show.
  const wanted: Record<string, readonly [path: string, count: number, body: (number: number) => object]> = {
    agents: ['/agents', 1, (n) => named(`a-${n}`)],
    functions: ['/functions', 2, (n) => named(`f-${n}`)],
    models: ['/models', 3, (n) => named(`m-${n}`)],
    sandboxes: ['/sandboxes', 4, (n) => named(`s-${n}`)],
    policies: ['/policies', 5, (n) => named(`p-${n}`)],
    jobs: ['/jobs', 6, (n) => named(`j-${n}`)],
    volumes: ['/volumes', 7, (n) => named(`v-${n}`)],
    drives: ['/drives', 8, (n) => named(`d-${n}`)],
    volumetemplates: ['/volume_templates', 9, (n) => named(`t-${n}`)],
    integrationconnections: ['/integrations/connections', 10, (n) => named(`c-${n}`)],
    customdomains: ['/customdomains', 11, (n) => named(`d${n}.example.com`)],
    serviceaccounts: ['/service_accounts', 12, (n) => ({ name: `robot-${n}` })],
    previews: ['/sandboxes/s-3/previews', 14, (n) => ({ metadata: { name: `v-${n}` }, spec: { port: 3000 } })],
    images: ['/images', 13, (n) => ({ resourceType: 'job', name: `i-${n}`, image: `registry.example.com/i:${n}` })],
  };
  for (const [path, count, body] of Object.values(wanted))
    for (let number = 0; number < count; number += 1) {
      const { status, text } = await inside.post(path, body(number));
      expect(status, `${path} ${text}`).toBe(200);
    }
  const full = Object.fromEntries(Object.entries(wanted).map(([name, [, count]]) => [name, count]));
  expect(await counts()).toEqual({ ...none, ...full });
  for (const path of ['/agents/a-0', '/sandboxes/s-0', '/drives/d-0', '/images/job/i-0'])
    expect((await inside.delete(path)).status, path).toBe(200);
  expect(await counts()).toEqual({ ...none, ...full, agents: 0, sandboxes: 3, drives: 7, images: 12 });
  for (const query of [{}, { countResources: false }])
    expect((await api.admin.get('/workspaces/counted', { query })).body).not.toHaveProperty('resourceCounts');
  expect((await api.admin.get('/workspaces')).text).not.toContain('resourceCounts');
});

test('workspace.lifecycle: a new workspace passes the setup steps in order, each a known status, and ends ready', async () => {
  // The steps are complete when the response arrives, so a trigger in the test's database records every status.
  await sql`create table seen (place bigint generated always as identity, name text, status text)`.execute(
    api.database,
  );
  await sql`create function see() returns trigger language plpgsql as $$
    begin insert into seen (name, status) values (new.name, new.status); return new; end $$`.execute(api.database);
  await sql`create trigger see after insert or update of status on workspaces
    for each row execute function see()`.execute(api.database);
  try {
    const created = await make('stepwise');
    expect([created.status, created.body.status]).toEqual([200, 'ready']);
    const { rows } = await sql<{ status: string }>`
      select status from seen where name = 'stepwise' order by place`.execute(api.database);
    const passed = rows.map(({ status }) => status);
    expect(passed.filter((status, index) => status !== passed[index - 1])).toEqual(steps);
  } finally {
    await sql`drop function see() cascade`.execute(api.database);
    await sql`drop table seen`.execute(api.database);
  }
  const recorded = await api.database
    .selectFrom('workspace_steps')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['step', 'at'])
    .where('name', '=', 'stepwise')
    .execute();
  const times = steps.map((step) => recorded.find((row) => row.step === step)?.at.getTime() ?? Number.NaN);
  expect(recorded).toHaveLength(steps.length);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect((await read('stepwise')).status).toBe('ready');
});

test('workspace.status-reason: statusReason is present only while the status is error and goes when a retry succeeds', async () => {
  // A trigger in the test's database makes the step fail; the steps themselves are the real ones.
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'out of order'; end $$`.execute(
    api.database,
  );
  await sql`create trigger refuse before insert on workspace_keys execute function refuse()`.execute(api.database);
  let id: string;
  try {
    const failed = await make('stuck');
    id = failed.body.id;
    expect([failed.status, failed.body.status]).toEqual([200, 'error']);
    expect(failed.body.statusReason).toEqual(expect.stringContaining('out of order'));
    expect(await read('stuck')).toEqual(failed.body);
    const again = await api.admin.put('/workspaces/stuck', { displayName: 'Still stuck' });
    expect(again.body).toMatchObject({ status: 'error', statusReason: expect.stringMatching(/./) });
  } finally {
    await sql`drop function refuse() cascade`.execute(api.database);
  }
  const mended = await api.admin.put('/workspaces/stuck', {});
  expect(mended.body).toMatchObject({ id, status: 'ready', displayName: 'Still stuck' });
  expect(mended.body).not.toHaveProperty('statusReason');
  expect(await read('stuck')).toEqual(mended.body);
  expect((await api.admin.with({ workspace: 'stuck' }).post('/drives', named('first'))).status).toBe(200);
  for (const workspace of (await api.admin.get('/workspaces')).body)
    expect([workspace.name, workspace.status, 'statusReason' in workspace]).toEqual([workspace.name, 'ready', false]);
});

test('workspace.delete: deleting a workspace answers with the workspace, and then it and everything in it is gone', async () => {
  const created = await make('doomed', { displayName: 'Doomed', labels: { team: 'blue' } });
  await make('spared');
  const inside = api.admin.with({ workspace: 'doomed' });
  const beside = api.admin.with({ workspace: 'spared' });
  const contents = ['/agents', '/functions', '/jobs', '/sandboxes', '/models', '/drives', '/volumes', '/policies'];
  for (const path of [...contents, '/vpcs', '/volume_templates', '/integrations/connections'])
    for (const place of [inside, beside]) expect((await place.post(path, named('thing'))).status, path).toBe(200);
  const execution = await inside.post('/jobs/thing/executions', { tasks: [{}] });
  expect(execution.status).toBe(200);
  const robot = (await inside.post('/service_accounts', { name: 'robot' })).body.client_id;
  const { apiKey } = (await inside.post(`/service_accounts/${robot}/api_keys`, {})).body;
  const member = await api.user({ memberOf: 'doomed' });
  expect((await member.client.delete('/workspaces/doomed')).status).toBe(403);

  const deleted = await api.admin.delete('/workspaces/doomed');
  expect([deleted.status, deleted.body]).toEqual([200, created.body]);
  expect((await api.admin.get('/workspaces/doomed')).status).toBe(404);
  expect((await api.admin.delete('/workspaces/doomed')).status).toBe(404);
  const left = (await api.admin.get('/workspaces')).body.map(({ name }: { name: string }) => name);
  expect(left).toContain('spared');
  expect(left).not.toContain('doomed');
  expect((await inside.get('/drives/thing')).status).toBe(403);
  expect((await member.client.get('/drives')).status).toBe(403);
  expect((await api.admin.with({ key: apiKey, workspace: undefined }).get('/drives')).status).toBe(401);
  await removeDeleted(api.database);
  for (const table of ['resources', 'executions', 'service_accounts', 'workspace_members', 'workspace_keys'] as const) {
    const rows = await api.database
      .selectFrom(table)
      .select('workspace_id')
      .where('workspace_id', '=', created.body.id)
      .execute();
    expect(rows, table).toEqual([]);
  }
  for (const path of contents) expect((await beside.get(`${path}/thing`)).status, path).toBe(200);

  // The name is free, and a new workspace with it is empty.
  const successor = await make('doomed');
  expect(successor.status).toBe(200);
  expect(successor.body.id).not.toBe(created.body.id);
  for (const path of contents) {
    expect((await inside.get(path)).body.meta, path).toMatchObject({ total: 0 });
    expect((await inside.get(`${path}/thing`)).status, path).toBe(404);
  }
});
