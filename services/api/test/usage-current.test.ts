// The current month so far and its forecast: a real api, a real PostgreSQL, a real ClickHouse. The clock of the api stands in
// the middle of the last month, so that every test has two weeks before it and after it.
import { uuidv7 } from '@berth/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import type { Client } from '../../../tests/harness/client.ts';
import { addAccount, type FurtherAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { openTestLedger, type TestLedger } from './metrics-ledger.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const today = new Date();
const monthMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1);
const monthEndMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
/** What the clock of the api shows when a request is made is a little later. */
const nowMs = monthMs + 15 * dayMs;
const iso = (ms: number): string => new Date(ms).toISOString();

let clickhouse: TestClickhouse;
let api: TestApi;
let ledger: TestLedger;

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ clickhouse });
  api.advance(nowMs - Date.now());
  ledger = openTestLedger(api.database, clickhouse.url);
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await clickhouse[Symbol.asyncDispose]();
});

async function account(word: string): Promise<FurtherAccount> {
  const made = await addAccount(api, word);
  await api.database
    .updateTable('prices')
    .set({ valid_from: new Date(monthMs - 100 * dayMs) })
    .where('account_id', '=', made.accountId)
    .execute();
  return made;
}

interface Ran {
  readonly atMs: number;
  readonly gb?: number;
  readonly type?: 'sandbox' | 'job';
}

/** Full hours of runs. A GB of a sandbox costs 0.0414 USD an hour, that of a job 0.0216. */
async function record(accountId: string, client: Client, workspace: string, runs: readonly Ran[]) {
  const workspaceId = (await client.get(`/workspaces/${workspace}`)).body.id;
  const rows = runs.map(({ atMs, gb = 1, type = 'sandbox' }) => ({
    ...{ accountId, workspaceId, workspace, resourceType: type, resourceName: 'box', resourceUid: uuidv7() },
    ...{ dimension: `${type}_compute_runtime_gbs` as const, source: uuidv7(), interval: 0, part: 0 },
    ...{ fromMs: atMs, toMs: atMs + hourMs, rate: gb * 1_048_576, amount: 0 },
  }));
  await ledger.storeClosed(rows);
}

const current = ({ accountId, client }: Pick<FurtherAccount, 'accountId' | 'client'>, by: Client = client) =>
  by.get(`/accounts/${accountId}/usage/current`);

// Tests with accounts of their own run at the same time: each write waits a quarter of a second for more rows.
test.concurrent('the month so far has its cost by dimension, and what was used before it or is to come is not in it', async () => {
  const of = await account('alpha');
  await record(of.accountId, of.client, of.workspace, [
    { atMs: monthMs - hourMs, gb: 100 },
    { atMs: monthMs },
    { atMs: monthMs + 3 * dayMs, gb: 2 },
    { atMs: monthMs + 4 * dayMs, type: 'job' },
    { atMs: nowMs + dayMs, gb: 100 },
  ]);
  const { status, body } = await current(of);
  expect(status).toBe(200);
  expect(body).toEqual({
    month: iso(monthMs).slice(0, 7),
    startTime: iso(monthMs),
    endTime: iso(monthEndMs),
    until: expect.any(String),
    cost: 0.1458,
    // Nothing was used in the last 7 days.
    forecast: 0.1458,
    dimensions: [
      { billingDimension: 'sandbox_compute_runtime_gbs', cost: 0.1242, usage: 10_800 },
      { billingDimension: 'job_compute_runtime_gbs', cost: 0.0216, usage: 3_600 },
    ],
  });
  expect(Date.parse(body.until)).toBeGreaterThanOrEqual(nowMs);
  expect(Date.parse(body.until)).toBeLessThan(nowMs + dayMs);
});

test.concurrent('the forecast adds the mean rate since the first usage of the last 7 days, for the rest of the month', async () => {
  const of = await account('bravo');
  await record(of.accountId, of.client, of.workspace, [
    { atMs: monthMs + dayMs },
    { atMs: nowMs - 5 * dayMs, gb: 10 },
    { atMs: nowMs - dayMs, gb: 20 },
  ]);
  const { body } = await current(of);
  expect(body.cost).toBe(1.2834);
  const untilMs = Date.parse(body.until);
  const expected = 1.2834 + (1.242 * (monthEndMs - untilMs)) / (untilMs - (nowMs - 5 * dayMs));
  expect(body.forecast).toBeCloseTo(expected, 9);
});

test.concurrent('on the first day of an account its usage counts as that of a whole day', async () => {
  const of = await account('charlie');
  await record(of.accountId, of.client, of.workspace, [{ atMs: nowMs - hourMs }]);
  const { body } = await current(of);
  const restDays = (monthEndMs - Date.parse(body.until)) / dayMs;
  expect(body.forecast).toBeCloseTo(0.0414 * (1 + restDays), 9);
});

test.concurrent('without any usage everything is 0', async () => {
  const { body } = await current(await account('delta'));
  expect([body.cost, body.forecast, body.dimensions]).toEqual([0, 0, []]);
});

test.concurrent('cost and forecast have every digit, beyond what a JavaScript number holds', async () => {
  const of = await account('echo');
  await api.database
    .updateTable('prices')
    .set({ usd_per_unit: '999.999999999999' })
    .where('account_id', '=', of.accountId)
    .execute();
  await record(of.accountId, of.client, of.workspace, [{ atMs: monthMs }]);
  const { text } = await current(of);
  expect(text).toContain('"cost":3599999.9999999964,"forecast":3599999.9999999964');
});

test.concurrent('an account admin sees all workspaces, others the sums of their own', async () => {
  await api.database
    .updateTable('prices')
    .set({ valid_from: new Date(monthMs - dayMs) })
    .where('account_id', '=', api.accountId)
    .execute();
  await api.addWorkspace('second');
  await record(api.accountId, api.admin, api.workspace, [{ atMs: monthMs }]);
  await record(api.accountId, api.admin, 'second', [{ atMs: monthMs, gb: 2 }]);
  const of = { accountId: api.accountId, client: api.admin };
  expect((await current(of)).body.cost).toBe(0.1242);
  const inSecond = await api.user({ memberOf: 'second', role: 'admin' });
  expect((await current(of, inSecond.client)).body.cost).toBe(0.0828);
  const inNone = await api.user({ account: 'member' });
  expect((await current(of, inNone.client)).body.cost).toBe(0);
  const stranger = await account('foxtrot');
  expect((await current(of, stranger.client)).status).toBe(404);
});

test('while ClickHouse is away, and without it, the answer is 503 with the next step', async () => {
  const of = await account('golf');
  await clickhouse.kill();
  const away = await current(of);
  expect([away.status, away.body.error]).toEqual([503, 'metrics_unreachable']);
  await clickhouse.start();
  expect((await current(of)).status).toBe(200);
  await using bare = await startTestApi();
  const absent = await bare.admin.get(`/accounts/${bare.accountId}/usage/current`);
  expect([absent.status, absent.body.error]).toEqual([503, 'metrics_unavailable']);
});
