// Usage and cost of an account, from the ledger to the answer: a real api, a real PostgreSQL, a real ClickHouse. What the
// interface promises is in tests/conformance/billing-*; here are late usage, pages while usage arrives, and outages.
import { type BillingDimensionName, billingDimensions } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { loadPrices } from '@berth/usage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import type { Client } from '../../../tests/harness/client.ts';
import { addAccount, type FurtherAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { openTestLedger, type TestLedger } from './metrics-ledger.ts';

let clickhouse: TestClickhouse;
let api: TestApi;
let ledger: TestLedger;

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ clickhouse });
  ledger = openTestLedger(api.database, clickhouse.url);
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await clickhouse[Symbol.asyncDispose]();
});

const hourMs = 3_600_000;
/** A full hour two days ago. */
const base = Math.floor(Date.now() / hourMs) * hourMs - 48 * hourMs;
const iso = (ms: number): string => new Date(ms).toISOString();

/** An account of its own, with prices from long ago. */
async function account(word: string): Promise<FurtherAccount> {
  const made = await addAccount(api, word);
  await api.database
    .updateTable('prices')
    .set({ valid_from: new Date(base - 1000 * hourMs) })
    .where('account_id', '=', made.accountId)
    .execute();
  return made;
}

interface Ran {
  readonly name?: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly gb?: number;
}

/** Runs of sandboxes in the ledger, each inside one hour. Their hours are dirty, or closed. */
async function record({ accountId, workspace, client }: FurtherAccount, runs: readonly Ran[], { closed = false } = {}) {
  const workspaceId = (await client.get(`/workspaces/${workspace}`)).body.id;
  const rows = runs.map(({ name = 'box', fromMs, toMs, gb = 1 }) => ({
    ...{ accountId, workspaceId, workspace, resourceType: 'sandbox', resourceName: name, resourceUid: uuidv7() },
    ...{ dimension: 'sandbox_compute_runtime_gbs' as const, source: uuidv7(), interval: 0, part: 0 },
    ...{ fromMs, toMs, rate: gb * 1_048_576, amount: 0 },
  }));
  await (closed ? ledger.storeClosed(rows) : ledger.store(rows));
}

interface Entry {
  readonly resourceName: string;
  readonly timeseries: readonly object[];
}

type Query = Readonly<Record<string, string | number>>;
const window = { startTime: iso(base), endTime: iso(base + 24 * hourMs) };
const ask = ({ accountId, client }: FurtherAccount, query: Query = {}, by: Client = client) =>
  by.get(`/accounts/${accountId}/metrics`, { query: { ...window, ...query } });
const costOf = async (of: FurtherAccount, query: Query = {}) => (await ask(of, query)).body.summary.totalCost;

const full = { fromMs: base + hourMs, toMs: base + 2 * hourMs };

// Tests with accounts of their own run at the same time: each write waits a quarter of a second for more rows.
test.concurrent('usage of an hour that is not closed is answered at once, and closing the hour changes nothing', async () => {
  const of = await account('alpha');
  await record(of, [full]);
  const open = (await ask(of, { groupBy: 'billing_dimension' })).text;
  expect(JSON.parse(open).summary).toEqual({ totalCost: 0.0414, totalUsage: 3600 });
  await ledger.close(of.accountId, [full.fromMs]);
  expect((await ask(of, { groupBy: 'billing_dimension' })).text).toBe(open);
  await api.database.deleteFrom('usage_dirty_hours').where('account_id', '=', of.accountId).execute();
  expect((await ask(of, { groupBy: 'billing_dimension' })).text).toBe(open);
});

test.concurrent('usage that arrives after its hour was closed is answered because the hour is marked', async () => {
  const of = await account('bravo');
  await record(of, [full], { closed: true });
  expect(await costOf(of)).toBe(0.0414);
  await record(of, [{ ...full, name: 'late' }]);
  expect(await costOf(of)).toBe(0.0828);
});

test.concurrent('an hour that the window cuts counts for the part inside, on both sides', async () => {
  const of = await account('charlie');
  await record(of, [full], { closed: true });
  const cut = { startTime: iso(full.fromMs + hourMs / 4), endTime: iso(full.toMs - hourMs / 4) };
  expect(await costOf(of, cut)).toBe(0.0207);
  expect(await costOf(of, { ...cut, endTime: iso(full.toMs) })).toBe(0.03105);
  expect(await costOf(of, { ...cut, startTime: iso(full.fromMs) })).toBe(0.03105);
});

test.concurrent('a price that changes at an hour holds from there on, and closed hours keep theirs', async () => {
  const of = await account('delta');
  await record(of, [full], { closed: true });
  await api.database
    .insertInto('prices')
    .values({
      ...{ account_id: of.accountId, billing_dimension: 'sandbox_compute_runtime_gbs', unit: 'gbs' },
      ...{ usd_per_unit: '0.000000000000000001', valid_from: new Date(full.toMs) },
    })
    .execute();
  await record(of, [{ fromMs: full.toMs, toMs: full.toMs + hourMs, gb: 1000 }]);
  const { text } = await ask(of);
  // 3 600 000 GB-seconds of 10⁻¹⁸ USD are 3.6 · 10⁻¹² USD, which is rounded once.
  expect(text).toContain('"totalCost":0.041400000004');
});

test.concurrent('every digit of a large sum is answered, beyond what a JavaScript number holds', async () => {
  const of = await account('echo');
  await api.database
    .updateTable('prices')
    .set({ usd_per_unit: '999.999999999999' })
    .where('account_id', '=', of.accountId)
    .where('billing_dimension', '=', 'sandbox_compute_runtime_gbs')
    .execute();
  await record(of, [full], { closed: true });
  const { text } = await ask(of, { groupBy: 'billing_dimension' });
  expect(text).toContain('"summary":{"totalCost":3599999.9999999964,"totalUsage":3600}');
});

test('pages agree while usage arrives: the totals repeat, and usage after the first page is on none', async () => {
  const of = await account('foxtrot');
  await record(
    of,
    Array.from({ length: 5 }, (_, index) => ({ ...full, name: `box-${index}`, gb: index + 1 })),
    { closed: true },
  );
  const query = { groupBy: 'resource_name', limit: 2, endTime: iso(Date.now() + 24 * hourMs) };
  const first = (await ask(of, query)).body;
  api.advance(60_000);
  // The clock of the api has moved on by a minute, and this usage is later than the first page.
  const fromMs = Date.now() + 1_000;
  const toMs = Math.min(fromMs + 50_000, Math.ceil((fromMs + 1) / hourMs) * hourMs);
  await record(of, [{ name: 'newcomer', fromMs, toMs, gb: 900 }]);
  const second = (await ask(of, { ...query, cursor: first.meta.nextCursor })).body;
  const third = (await ask(of, { ...query, cursor: second.meta.nextCursor })).body;
  expect([second.summary, third.summary]).toEqual([first.summary, first.summary]);
  const names = [first, second, third].flatMap(({ data }) => data.map((entry: Entry) => entry.resourceName));
  expect(names).toEqual(['box-4', 'box-3', 'box-2', 'box-1', 'box-0']);
  expect(third.meta).toEqual({ hasMore: false, nextCursor: '' });
});

test('a cursor is good for 24 hours, and for no other account', async () => {
  const [of, other] = [await account('golf'), await account('hotel')];
  const runs = [1, 2, 3].map((gb) => ({ ...full, name: `box-${gb}`, gb }));
  await record(of, runs, { closed: true });
  await record(other, runs, { closed: true });
  const query = { groupBy: 'resource_name', limit: 1 };
  const cursor = (await ask(of, query)).body.meta.nextCursor;
  const foreign = await ask(other, { ...query, cursor });
  expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_cursor']);
  api.advance(24 * hourMs - 60_000);
  expect((await ask(of, { ...query, cursor })).body.data[0].resourceName).toBe('box-2');
  api.advance(120_000);
  expect((await ask(of, { ...query, cursor })).status).toBe(400);
});

test.concurrent('an answer has at most 200 000 points: a long window has fewer groups on a page, and all of them on more', async () => {
  const of = await account('india');
  await record(
    of,
    [1, 2, 3].map((gb) => ({ ...full, name: `box-${gb}`, gb })),
    { closed: true },
  );
  const long = { startTime: '0001-01-01T00:00:00Z', endTime: '7501-01-01T00:00:00Z', groupBy: 'resource_name' };
  const first = (await ask(of, long)).body;
  expect(first.resolution).toBe('monthly');
  expect(first.data.map((entry: Entry) => entry.timeseries.length)).toEqual([90_000, 90_000]);
  expect(first.meta.hasMore).toBe(true);
  const second = (await ask(of, { ...long, cursor: first.meta.nextCursor })).body;
  expect(second.data).toHaveLength(1);
  expect(second.meta.hasMore).toBe(false);
  expect(first.summary.totalCost).toBe(0.2484);
});

test.concurrent('a window in the future is empty', async () => {
  const of = await account('juliett');
  const later = { startTime: iso(Date.now() + 100 * 24 * hourMs), endTime: iso(Date.now() + 101 * 24 * hourMs) };
  const { body } = await ask(of, later);
  expect(body.summary).toEqual({ totalCost: 0 });
  expect((await ask(of, { ...later, groupBy: 'workspace' })).body.data).toEqual([]);
  const types = await of.client.get(`/accounts/${of.accountId}/metrics/enums/resource-types`, { query: later });
  expect(types.body).toEqual({ values: [] });
});

test.concurrent('the setup of an account copies its list prices, valid from the full hour of its first workspace', async () => {
  const of = await addAccount(api, 'kilo');
  const { created_at } = await api.database
    .selectFrom('workspaces')
    .select('created_at')
    .where('name', '=', of.workspace)
    .executeTakeFirstOrThrow();
  const steps = await loadPrices(api.database, of.accountId);
  expect(steps.map(({ dimension }) => dimension).toSorted()).toEqual(
    billingDimensions.map(({ name }): BillingDimensionName => name).toSorted(),
  );
  const hour = Math.floor(created_at.getTime() / hourMs) * hourMs;
  expect([...new Set(steps.map(({ fromMs }) => fromMs))]).toEqual([hour]);
});

test.concurrent('without ClickHouse metrics answer 503 with the next step, and the list of groups is there', async () => {
  await using bare = await startTestApi();
  const path = `/accounts/${bare.accountId}/metrics`;
  for (const asked of [path, `${path}/enums/resource-types`]) {
    const { status, body } = await bare.admin.get(asked, { query: window });
    expect([status, body.error]).toEqual([503, 'metrics_unavailable']);
    expect(body.message).toContain('BERTH_CLICKHOUSE_URL');
  }
  expect((await bare.admin.get(`${path}/enums/group-by`)).status).toBe(200);
});

test('while ClickHouse is away metrics answer 503, and answer again when it is back', async () => {
  const of = await account('lima');
  await record(of, [full], { closed: true });
  await clickhouse.kill();
  const { status, body } = await ask(of);
  expect([status, body.error]).toEqual([503, 'metrics_unreachable']);
  await clickhouse.start();
  expect(await costOf(of)).toBe(0.0414);
});
