// Asynchronous calls and callbacks as their workspace reads them, and the repetition of a callback.
import { type Database, uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
let database: Database;
let agentUid: string;
let workspaceId: string;
let accountId: string;

beforeAll(async () => {
  api = await startTestApi();
  ({ database, accountId } = api);
  await api.addWorkspace('other');
  expect((await api.admin.post('/agents', { metadata: { name: 'helper' }, spec: {} })).status).toBe(200);
  const agent = await database
    .selectFrom('resources')
    .selectAll()
    .where('name', '=', 'helper')
    .executeTakeFirstOrThrow();
  ({ uid: agentUid, workspace_id: workspaceId } = agent);
});
afterAll(() => api[Symbol.asyncDispose]());

let newest = '';

/** Ids of the same millisecond have no order. */
function nextId(): string {
  let id = uuidv7();
  while (id <= newest) id = uuidv7();
  newest = id;
  return id;
}

async function addCall(more: object = {}): Promise<string> {
  const id = nextId();
  await database
    .insertInto('invocations')
    .values({
      ...{ id, account_id: accountId, workspace_id: workspaceId, workspace_name: 'main', resource_uid: agentUid },
      ...{ resource_name: 'helper', is_by_member: true, method: 'POST', path: '/run', body_bytes: 3, max_runs: 2 },
      ...{ timeout_seconds: 60, body: Buffer.from('abc'), headers: JSON.stringify(['x-own', 'secret-header']) },
      ...more,
    })
    .execute();
  return id;
}

async function addDelivery(more: object): Promise<string> {
  const id = nextId();
  await database
    .insertInto('deliveries')
    .values({
      ...{ id, workspace_id: workspaceId, resource_uid: agentUid, trigger_id: 'hook' },
      ...{ url: 'https://hooks.example.com/x', host: 'hooks.example.com', secret: 'sealed-secret', body: '{"a":1}' },
      ...more,
    })
    .execute();
  return id;
}

const of = (path: string, query: Readonly<Record<string, string | number>> = {}) => api.admin.get(path, { query });

test('calls of an agent are listed newest first, in pages and by status, without what was sent', async () => {
  const ended = { status: 'succeeded', ended_at: new Date(), status_code: 200, response_bytes: 4, runs: 1 } as const;
  const ids = [await addCall(ended), await addCall({ trigger_id: 'hook', subject: 'somebody' }), await addCall()];
  const deliveryId = await addDelivery({ invocation_id: ids[0] });
  const first = await of('/agents/helper/invocations', { limit: 2 });
  expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
  expect(first.body.data[1]).toEqual({
    ...{ id: ids[1], status: 'queued', triggerId: 'hook', subject: 'somebody', method: 'POST', path: '/run' },
    ...{ bodyBytes: 3, runs: 0, maxRuns: 2, timeout: 60 },
    ...{ acceptedAt: expect.any(String), nextAt: expect.any(String) },
  });
  const { nextCursor } = first.body.meta;
  const second = await of('/agents/helper/invocations', { limit: 2, cursor: nextCursor });
  expect([second.body.data, second.body.meta.hasMore]).toEqual([
    [expect.objectContaining({ id: ids[0], status: 'succeeded', statusCode: 200, responseBytes: 4, deliveryId })],
    false,
  ]);
  const queued = await of('/agents/helper/invocations', { status: 'queued' });
  expect(queued.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
  expect(JSON.stringify([first.body, second.body])).not.toMatch(/secret-header|abc/);
  const one = await of(`/agents/helper/invocations/${ids[0]}`);
  expect(one.body).toEqual(second.body.data[0]);
});

test('calls of other agents and workspaces, and ids that are none, are not found', async () => {
  const id = await addCall();
  expect((await api.admin.post('/agents', { metadata: { name: 'second' }, spec: {} })).status).toBe(200);
  for (const path of [
    `/agents/second/invocations/${id}`,
    `/agents/helper/invocations/${uuidv7()}`,
    '/agents/helper/invocations/x',
    '/agents/absent/invocations',
  ])
    expect([path, (await of(path)).status]).toEqual([path, 404]);
  const elsewhere = api.admin.with({ workspace: 'other' });
  expect((await elsewhere.get(`/agents/helper/invocations/${id}`)).status).toBe(404);
});

test('callbacks of the workspace are listed newest first with their state, and their secret is never shown', async () => {
  await sql`truncate deliveries`.execute(database);
  const waiting = await addDelivery({ invocation_id: await addCall(), attempts: 2, last_status: 500 });
  const delivered = await addDelivery({ invocation_id: await addCall(), delivered_at: new Date(), attempts: 1 });
  const givenUp = await addDelivery({ invocation_id: await addCall(), given_up_at: new Date(), last_error: 'refused' });
  const { body } = await of('/deliveries');
  expect(body.data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [givenUp, 'given_up'],
    [delivered, 'delivered'],
    [waiting, 'waiting'],
  ]);
  expect(body.data[2]).toMatchObject({
    ...{ resourceType: 'agent', resourceName: 'helper', triggerId: 'hook', attempts: 2, lastStatus: 500 },
    ...{ invocationId: expect.any(String), nextAt: expect.any(String), url: 'https://hooks.example.com/x' },
  });
  const page = await of('/deliveries', { limit: 1, status: 'waiting' });
  expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual([waiting]);
  const one = await of(`/deliveries/${givenUp}`);
  expect(one.body).toMatchObject({ body: '{"a":1}', lastError: 'refused', endedAt: expect.any(String) });
  expect(JSON.stringify([body, one.body])).not.toContain('sealed-secret');
  const elsewhere = api.admin.with({ workspace: 'other' });
  expect((await elsewhere.get('/deliveries')).body.data).toEqual([]);
  expect((await elsewhere.get(`/deliveries/${givenUp}`)).status).toBe(404);
});

test('a callback that has ended is sent again under its id, and one that is still tried is refused', async () => {
  const id = await addDelivery({
    invocation_id: await addCall(),
    given_up_at: new Date(),
    attempts: 9,
    last_status: 500,
  });
  const elsewhere = api.admin.with({ workspace: 'other' });
  expect((await elsewhere.post(`/deliveries/${id}/replay`)).status).toBe(404);
  const replayed = await api.admin.post(`/deliveries/${id}/replay`);
  expect([replayed.status, replayed.body]).toEqual([
    200,
    expect.objectContaining({ id, status: 'waiting', attempts: 0 }),
  ]);
  const again = await api.admin.post(`/deliveries/${id}/replay`);
  expect([again.status, again.body.error]).toEqual([409, 'delivery_open']);
  for (const other of [uuidv7(), 'x']) expect((await api.admin.post(`/deliveries/${other}/replay`)).status).toBe(404);
});

test('a budget of the account has callbacks too, which no workspace reads', async () => {
  const budget = { amount: 5, callbackUrl: 'https://hooks.example.com/b' };
  expect((await api.admin.put(`/accounts/${accountId}/budgets/month`, budget)).status).toBe(200);
  const { id: budgetId } = await database.selectFrom('budgets').select('id').executeTakeFirstOrThrow();
  const id = await addDelivery({
    ...{ workspace_id: null, resource_uid: null, trigger_id: null },
    ...{ account_id: accountId, budget_id: budgetId, delivered_at: new Date() },
  });
  expect((await of(`/deliveries/${id}`)).status).toBe(404);
  expect((await api.admin.post(`/deliveries/${id}/replay`)).status).toBe(404);
});
