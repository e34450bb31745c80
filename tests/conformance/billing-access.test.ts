// Who may read the usage and cost of an account, and what they see. Specification: Billing metrics, Authentication, Errors.
import { headerNames } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { addAccount } from '../harness/tenant.ts';
import { bill } from './support/bill.ts';
import { type Billing, startBilling } from './support/billing.ts';

const branded = headerNames(conformanceBrand()).authorization;
/** Whole account, and the workspaces `main` and `other`, in USD. */
const costs = { all: 0.219601, main: 0.108001, other: 0.1116 };

let billing: Billing;
let paths: readonly string[];
/** Callers of the account who are no account admins. */
let members: readonly (readonly [string, Client, number])[];

beforeAll(async () => {
  billing = await startBilling();
  const { api, path } = billing;
  paths = [path, `${path}/enums/group-by`, `${path}/enums/resource-types`];
  const robot = (await api.admin.post('/service_accounts', { name: 'robot' })).body;
  const key = (await api.admin.post(`/service_accounts/${robot.client_id}/api_keys`, {})).body.apiKey;
  members = [
    ['a member of main', (await api.user({ memberOf: 'main' })).client, costs.main],
    ['an admin of main', (await api.user({ memberOf: 'main', role: 'admin' })).client, costs.main],
    ['an admin of other', (await api.user({ memberOf: 'other', role: 'admin' })).client, costs.other],
    ['a member of the account without a workspace', (await api.user({ account: 'member' })).client, 0],
    ['a service account of main', api.admin.with({ key }), costs.main],
  ];
});
afterAll(() => billing[Symbol.asyncDispose]());

test('billing-access.endpoint: GET below an account answers its metrics, and no other method is served there', async () => {
  expect((await billing.ask()).status).toBe(200);
  const query = billing.window();
  for (const path of paths) {
    expect([path, (await billing.api.admin.get(path, { query })).status]).toEqual([path, 200]);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect([method, path, (await billing.api.admin.send(method, path, { query })).status]).toEqual([
        method,
        path,
        405,
      ]);
  }
  const foreign = '/accounts/0198c0de-0000-7000-8000-000000000000/metrics';
  expect((await billing.api.admin.get(foreign, { query })).status).toBe(404);
});

test('billing-access.bearer: metrics need a key as a bearer, in Authorization or in X-Service-Authorization', async () => {
  const nobody = billing.api.admin.with({ key: undefined });
  const bearer = `Bearer ${billing.api.adminKey}`;
  for (const path of paths) {
    const statusWith = async (headers: Record<string, string>) =>
      (await nobody.get(path, { query: billing.window(), headers })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: `${bearer}x` })).toBe(401);
    expect(await statusWith({ authorization: bearer })).toBe(200);
    expect(await statusWith({ [branded]: bearer })).toBe(200);
  }
});

test('billing-access.bearer-only: no cookie, no key in the query and no other scheme opens metrics', async () => {
  const nobody = billing.api.admin.with({ key: undefined });
  const key = billing.api.adminKey;
  const basic = Buffer.from(`${key}:`).toString('base64');
  for (const path of paths) {
    for (const headers of [
      { authorization: `Basic ${basic}` },
      { authorization: key },
      { 'x-api-key': key },
      { cookie: `authorization=${key}; token=${key}; session=${key}` },
    ])
      expect((await nobody.get(path, { query: billing.window(), headers })).status).toBe(401);
    for (const name of ['token', 'access_token', 'api_key', 'authorization'])
      expect((await nobody.get(path, { query: { ...billing.window(), [name]: key } })).status).toBe(401);
  }
});

test('billing-access.admins: account admins filter and group by workspace, and all other callers get 403 and see their own workspaces only', async () => {
  const admin = (await billing.api.user({ account: 'admin' })).client;
  expect((await billing.ask({ workspace: 'main' }, admin)).body.summary.totalCost).toBe(costs.main);
  expect((await billing.ask({ groupBy: 'workspace' }, admin)).body.data).toHaveLength(2);
  expect((await billing.ask({}, admin)).body.summary.totalCost).toBe(costs.all);
  for (const [who, client, cost] of members) {
    expect([who, (await billing.ask({ workspace: 'main' }, client)).status]).toEqual([who, 403]);
    expect([who, (await billing.ask({ groupBy: 'workspace' }, client)).status]).toEqual([who, 403]);
    for (const groupBy of ['resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'])
      expect([who, (await billing.ask({ groupBy }, client)).body.summary.totalCost]).toEqual([who, cost]);
    expect([who, (await billing.ask({}, client)).body.data[0].summary.cost]).toEqual([who, cost]);
  }
});

test('billing-access.errors-403: metrics by workspace give 403 to callers who are no account admin, and the reason reads access denied', async () => {
  const named = ['workspace', 'workspace,resource_type', 'billing_dimension,resource_name,workspace'];
  const queries = [...named.map((groupBy) => ({ groupBy })), { workspace: 'main' }, { workspace: 'no-such-place' }];
  for (const [who, client] of members)
    for (const query of queries) {
      const { status, body } = await billing.ask(query, client);
      expect([who, status, body]).toEqual([who, 403, { error: 'access_denied', code: 403, message: 'access denied' }]);
    }
});

test('billing-access.errors-400: a missing or invalid parameter, label, unit, a window over its cap and bad groups give 400', async () => {
  const { startTime, endTime } = billing.window();
  const without = async (query: Readonly<Record<string, string>>) =>
    (await billing.api.admin.get(billing.path, { query })).status;
  expect([await without({ startTime }), await without({ endTime }), await without({})]).toEqual([400, 400, 400]);
  for (const query of [
    { startTime: 'yesterday' },
    { endTime: startTime },
    { resolution: 'yearly' },
    { resolution: 'hourly' },
    { label: 'team' },
    { unit: 'gbs' },
    { groupBy: 'region' },
    { groupBy: 'workspace,workspace' },
    { groupBy: 'workspace,resource_type,resource_name,billing_dimension' },
    { resourceType: 'spaceship' },
    { billingDimension: 'spaceship_gbs' },
    { limit: 0 },
    { cursor: 'made-up' },
  ]) {
    const { status, body } = await billing.ask(query);
    expect([query, status, body]).toEqual([
      query,
      400,
      { error: expect.any(String), code: 400, message: expect.any(String) },
    ]);
  }
  const types = await billing.api.admin.get(`${billing.path}/enums/resource-types`, { query: { startTime } });
  expect(types.status).toBe(400);
});

test('billing-access.response: a successful answer is 200 with the window, the resolution, the summary, the data and meta', async () => {
  const { status, body, headers } = await billing.ask();
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(Object.keys(body).sort()).toEqual(['data', 'endTime', 'meta', 'resolution', 'startTime', 'summary']);
});

test('billing-access.enum-group-by: the group-by list gives the five dimensions to every caller of the account, always the same', async () => {
  const values = ['workspace', 'resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'];
  for (const client of [billing.api.admin, ...members.map(([, member]) => member)])
    expect((await client.get(`${billing.path}/enums/group-by`)).body).toEqual({ values });
});

test('billing-access.enum-resource-types: the resource-types list gives the types with usage in the window, of what the caller sees', async () => {
  const types = async (window: object, client = billing.api.admin) =>
    (await client.get(`${billing.path}/enums/resource-types`, { query: { ...window } })).body.values;
  expect(await types(billing.window())).toEqual(['agent', 'job', 'sandbox']);
  // The bill has one sandbox in its second hour and one job after a week.
  expect(await types(billing.window(1, 2))).toEqual(['sandbox']);
  expect(await types(billing.window(2, 4))).toEqual(['agent']);
  expect(await types(billing.window(0, 1))).toEqual([]);
  expect(await types(billing.window(300, 301))).toEqual([]);
  const [ofMain, , ofOther, ofNone] = members.map(([, client]) => client);
  expect(await types(billing.window(), ofMain)).toEqual(['agent', 'sandbox']);
  expect(await types(billing.window(), ofOther)).toEqual(['agent', 'job']);
  expect(await types(billing.window(), ofNone)).toEqual([]);
});

test('billing-access.per-account: cost and usage over time are kept per account, and no account sees those of another', async () => {
  const other = await addAccount(billing.api, 'zulu');
  const lines = bill.map((line) => ({ ...line, workspace: other.workspace, amount: line.amount * 3 }));
  await billing.spend(lines, { accountId: other.accountId });
  const query = { ...billing.window(), groupBy: 'billing_dimension' };
  const [own, theirs] = [
    (await billing.api.admin.get(billing.path, { query })).body,
    (await other.client.get(`/accounts/${other.accountId}/metrics`, { query })).body,
  ];
  expect([own.summary.totalCost, theirs.summary.totalCost]).toEqual([costs.all, 0.658803]);
  expect([own.summary.totalUsage, theirs.summary.totalUsage]).toEqual([28_805, 86_415]);
  expect((await other.client.get(billing.path, { query })).status).toBe(404);
  expect((await billing.ask({ workspace: other.workspace })).body.summary.totalCost).toBe(0);
  // Over time: the first day of the bill, and the rest.
  const firstDay = (await billing.ask(billing.window(0, 24))).body.summary.totalCost;
  const later = (await billing.ask(billing.window(24))).body.summary.totalCost;
  expect([firstDay, later]).toEqual([costs.main, costs.other]);
});

test('billing-access.workspace-bills: resources of one workspace share their billing: grouped by workspace they are one entry', async () => {
  const { data } = (await billing.ask({ groupBy: 'workspace' })).body;
  const cost = new Map(data.map(({ workspace, summary }: never) => [workspace, (summary as { cost: number }).cost]));
  expect(cost.get('main')).toBe(costs.main);
  expect(cost.get('other')).toBe(costs.other);
  expect(data).toHaveLength(2);
});

test('billing-access.one-bill: a workspace has one bill, which is the sum of its agents, jobs and sandboxes', async () => {
  for (const workspace of ['main', 'other'] as const) {
    const whole = (await billing.ask({ workspace })).body;
    expect(whole.data).toHaveLength(1);
    expect(whole.summary.totalCost).toBe(costs[workspace]);
    const parts = (await billing.ask({ workspace, groupBy: 'resource_uuid' })).body;
    expect(parts.summary.totalCost).toBe(costs[workspace]);
    expect(parts.data.length).toBe(2);
    for (const entry of parts.data) expect(entry.workspace).toBe(workspace);
  }
});
