// Budgets over the management API: a real api, a real PostgreSQL, a real ClickHouse. Alerts are written as orchestrators write
// them; their evaluation is tested there.
import { uuidv7 } from '@berth/database';
import { createKeyring, unseal } from '@berth/identity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { addAccount, type FurtherAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { openTestLedger, type TestLedger } from './metrics-ledger.ts';
import { withPageReads } from './page-reads.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const today = new Date();
const monthMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1);
const month = new Date(monthMs).toISOString().slice(0, 7);

let clickhouse: TestClickhouse;
let api: TestApi;
let ledger: TestLedger;

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ clickhouse });
  // The middle of the last month: no test runs into the next one.
  api.advance(monthMs + 15 * dayMs - Date.now());
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

/** Hours of a sandbox with 1 GB, for 0.0414 USD each. */
async function record(accountId: string, workspace: string, hours: number, workspaceId = uuidv7()): Promise<void> {
  const rows = Array.from({ length: hours }, (_, index) => ({
    ...{ accountId, workspaceId, workspace, resourceType: 'sandbox', resourceName: 'box', resourceUid: uuidv7() },
    ...{ dimension: 'sandbox_compute_runtime_gbs' as const, source: uuidv7(), interval: 0, part: 0 },
    ...{ fromMs: monthMs + index * hourMs, toMs: monthMs + (index + 1) * hourMs, rate: 1_048_576, amount: 0 },
  }));
  await ledger.storeClosed(rows);
}

const at = (accountId: string, name = ''): string =>
  `/accounts/${accountId}/budgets${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
const put = ({ accountId, client }: FurtherAccount, name: string, body: object) =>
  client.put(at(accountId, name), body);
const get = ({ accountId, client }: FurtherAccount, name = '') => client.get(at(accountId, name));
const rowOf = ({ accountId }: FurtherAccount, name: string) =>
  api.database
    .selectFrom('budgets')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();

const stamps = {
  ...{ createdAt: expect.any(String), createdBy: expect.any(String) },
  ...{ updatedAt: expect.any(String), updatedBy: expect.any(String) },
};

test('a budget is created and replaced by PUT, read, listed by name and deleted', async () => {
  const of = await account('alpha');
  const created = await put(of, 'all', { amount: 12.5 });
  expect([created.status, created.body]).toEqual([
    200,
    {
      name: 'all',
      amount: 12.5,
      of: 'usage',
      thresholds: [50, 80, 100],
      ...stamps,
      createdBy: of.userId,
      updatedBy: of.userId,
    },
  ]);
  const further = await put(of, 'a-first', { amount: 1, thresholds: [200, 10], workspace: of.workspace });
  expect(further.body).toMatchObject({ thresholds: [10, 200], workspace: of.workspace });
  expect((await get(of)).body.map(({ name }: { name: string }) => name)).toEqual(['a-first', 'all']);
  // What is left out is not kept.
  const replaced = await put(of, 'a-first', { amount: 2 });
  expect(replaced.body).toEqual({
    ...{ name: 'a-first', amount: 2, of: 'usage', thresholds: [50, 80, 100] },
    ...stamps,
    createdAt: further.body.createdAt,
  });
  const { callbackUrl, workspace } = (await get(of, 'a-first')).body;
  expect([callbackUrl, workspace]).toEqual([undefined, undefined]);
  const deleted = await of.client.delete(at(of.accountId, 'all'));
  expect([deleted.status, deleted.body]).toEqual([200, created.body]);
  for (const missing of [await get(of, 'all'), await of.client.delete(at(of.accountId, 'all'))])
    expect([missing.status, missing.body.error]).toEqual([404, 'not_found']);
  expect((await get(of)).body).toHaveLength(1);
});

test('a changed budget is evaluated next', async () => {
  const of = await account('bravo');
  await put(of, 'all', { amount: 1 });
  await api.database.updateTable('budgets').set({ evaluated_at: new Date() }).execute();
  await put(of, 'all', { amount: 2 });
  expect((await rowOf(of, 'all')).evaluated_at).toBe(Number.NEGATIVE_INFINITY);
});

describe('the cost of a budget is that of the month so far', () => {
  test('for the account, or for all workspaces that have had its name, and 100 percent means that it is reached', async () => {
    const of = await account('charlie');
    await record(of.accountId, of.workspace, 3);
    await record(of.accountId, of.workspace, 2);
    await record(of.accountId, 'gone', 5);
    await ledger.storeClosed([
      {
        ...{ accountId: of.accountId, workspaceId: uuidv7(), workspace: 'gone', resourceType: 'sandbox' },
        ...{ resourceName: 'box', resourceUid: uuidv7(), dimension: 'sandbox_compute_runtime_gbs' },
        ...{ source: uuidv7(), interval: 0, part: 0, fromMs: monthMs - hourMs, toMs: monthMs },
        ...{ rate: 1_048_576_000, amount: 0 },
      },
    ]);
    await put(of, 'account', { amount: 0.414001 });
    await put(of, 'workspace', { amount: 0.207, workspace: of.workspace });
    await put(of, 'tiny', { amount: 0.000001 });
    const all = await get(of);
    // One query has the costs of all budgets.
    await withPageReads(api.database, 1, async () => {
      expect((await get(of)).text).toBe(all.text);
    });
    const { body } = all;
    const shown = body.map(({ name, cost, percent }: Record<string, unknown>) => [name, cost, percent]);
    expect(shown).toEqual([
      ['account', 0.414, 99.99],
      ['tiny', 0.414, 41_400_000],
      ['workspace', 0.207, 100],
    ]);
    expect(body[0]).toMatchObject({ month, alerts: [] });
    expect((await get(of, 'workspace')).body).toEqual(body[2]);
  });

  test('and is 0 for a workspace without usage', async () => {
    const of = await account('delta');
    await record(of.accountId, 'gone', 1);
    await put(of, 'idle', { amount: 1, workspace: of.workspace });
    expect((await get(of, 'idle')).body).toMatchObject({ cost: 0, percent: 0 });
  });

  test('with every digit of cost and amount', async () => {
    const of = await account('echo');
    await api.database
      .updateTable('prices')
      .set({ usd_per_unit: '999.999999999999' })
      .where('account_id', '=', of.accountId)
      .execute();
    await record(of.accountId, of.workspace, 1);
    await put(of, 'large', { amount: 999_999_999.123456 });
    const { text } = await get(of, 'large');
    expect(text).toContain('"amount":999999999.123456');
    expect(text).toContain('"cost":3599999.9999999964,"percent":0.36');
    expect((await rowOf(of, 'large')).amount_usd).toBe('999999999.123456');
  });
});

describe('a budget of models', () => {
  /** As a gateway counts what models cost. */
  async function spend(budgetId: string, nanoUsd: bigint, of = month): Promise<void> {
    await api.database
      .insertInto('limit_windows')
      .values({
        ...{ subject: budgetId, measure: 'money', window_start: `${of}-01T00:00:00Z`, gateway_run: uuidv7() },
        ...{ sent: '1', received: '1', nano_usd: String(nanoUsd), expires_at: new Date(monthMs + 100 * dayMs) },
      })
      .execute();
  }

  test('has the cost of its month at all gateways, to 10⁻⁹ USD, and no usage', async () => {
    const of = await account('november');
    await record(of.accountId, of.workspace, 1);
    const created = await put(of, 'all', { amount: 2, of: 'models' });
    expect(created.body).toMatchObject({ of: 'models', amount: 2, thresholds: [50, 80, 100] });
    await put(of, 'one', { amount: 1, of: 'models', workspace: of.workspace });
    await put(of, 'used', { amount: 1 });
    const { id } = await rowOf(of, 'all');
    await spend(id, 1_000_000_000n);
    await spend(id, 999_999_999n);
    await spend(id, 5_000_000_000n, '2020-01');
    const shown = (await get(of)).body.map(({ name, of, cost, percent }: Record<string, unknown>) => [
      name,
      of,
      cost,
      percent,
    ]);
    expect(shown).toEqual([
      ['all', 'models', 1.999999999, 99.99],
      ['one', 'models', 0, 0],
      ['used', 'usage', 0.0414, 4.14],
    ]);
    expect((await get(of, 'all')).text).toContain('"cost":1.999999999,"percent":99.99');
  });

  test('stays one: another use of its name is refused, and the message says what to send', async () => {
    const of = await account('oscar');
    await put(of, 'money', { amount: 1, of: 'models' });
    await put(of, 'used', { amount: 1, of: 'usage' });
    for (const [name, body, said] of [
      ['money', { amount: 2 }, 'Send "of": "models"'],
      ['money', { amount: 2, of: 'usage' }, 'Send "of": "models"'],
      ['used', { amount: 2, of: 'models' }, 'Send "of": "usage"'],
    ] as const) {
      const answer = await put(of, name, body);
      expect([answer.status, answer.body.error]).toEqual([400, 'budget_of_fixed']);
      expect(answer.body.message).toContain(said);
    }
    expect((await put(of, 'money', { amount: 3, of: 'models' })).body.amount).toBe(3);
    expect((await get(of, 'used')).body.amount).toBe(1);
    // A new one may have its name.
    await of.client.delete(at(of.accountId, 'money'));
    expect((await put(of, 'money', { amount: 4 })).body.of).toBe('usage');
  });
});

describe('the alerts of a budget', () => {
  async function alert(budgetId: string, percent: number, changes: { month?: string; delivery_id?: string } = {}) {
    await api.database
      .insertInto('budget_alerts')
      .values({ budget_id: budgetId, month, percent, pico: '51500000000000', amount_usd: '100.5', ...changes })
      .execute();
  }

  async function deliver({ accountId }: FurtherAccount, budgetId: string, ended: object): Promise<string> {
    const id = uuidv7();
    await api.database
      .insertInto('deliveries')
      .values({
        ...{ id, account_id: accountId, budget_id: budgetId, url: 'https://example.com', host: 'example.com' },
        ...{ secret: 'sealed', body: '{}', ...ended },
      })
      .execute();
    return id;
  }

  test('are those of the month, ascending, each with the state of its callback', async () => {
    const of = await account('foxtrot');
    await put(of, 'watched', { amount: 100, thresholds: [1, 2, 3, 4, 5] });
    await put(of, 'other', { amount: 100 });
    const { id } = await rowOf(of, 'watched');
    const now = new Date();
    await alert(id, 5);
    await alert(id, 4, { delivery_id: await deliver(of, id, {}) });
    await alert(id, 3, { delivery_id: await deliver(of, id, { delivered_at: now }) });
    await alert(id, 2, { delivery_id: await deliver(of, id, { given_up_at: now }) });
    await alert(id, 1, { delivery_id: uuidv7() });
    await alert(id, 6, { month: '2020-01' });
    await alert((await rowOf(of, 'other')).id, 50);
    const { body } = await get(of, 'watched');
    const told = { reachedAt: expect.any(String), cost: 51.5, amount: 100.5 };
    expect(body.alerts).toEqual([
      { threshold: 1, callback: 'expired', ...told },
      { threshold: 2, callback: 'given_up', ...told },
      { threshold: 3, callback: 'delivered', ...told },
      { threshold: 4, callback: 'waiting', ...told },
      { threshold: 5, callback: 'none', ...told },
    ]);
    const listed = (await get(of)).body.map(({ alerts }: { alerts: unknown[] }) => alerts.length);
    expect(listed).toEqual([1, 5]);
    // A changed budget keeps them.
    await put(of, 'watched', { amount: 1_000, thresholds: [90] });
    expect((await get(of, 'watched')).body.alerts).toEqual(body.alerts);
    await of.client.delete(at(of.accountId, 'watched'));
    const left = await api.database.selectFrom('deliveries').select('id').where('budget_id', '=', id).execute();
    expect(left).toEqual([]);
  });
});

describe('the secret of callbacks', () => {
  const callbackUrl = 'https://hooks.example.com/budgets';

  test('is shown by the write that sets the URL and never again, and opens for the budget alone', async () => {
    const of = await account('golf');
    const { body } = await put(of, 'told', { amount: 1, callbackUrl });
    expect(body.callbackSecret).toMatch(/^[0-9a-f]{64}$/);
    const stored = await rowOf(of, 'told');
    const key = await createKeyring(api.masterKeys).deploymentKey(api.database, 'budgets');
    expect(unseal(key, stored.callback_secret ?? '', `budget ${stored.id}`)).toBe(body.callbackSecret);
    expect(() => unseal(key, stored.callback_secret ?? '', `budget ${uuidv7()}`)).toThrow();
    // It stays when the budget changes, and also when the URL does.
    for (const change of [{ callbackUrl }, { callbackUrl: 'http://other.example.com/' }]) {
      const changed = await put(of, 'told', { amount: 2, ...change });
      expect([changed.status, changed.body.callbackUrl]).toEqual([200, change.callbackUrl]);
      expect('callbackSecret' in changed.body).toBe(false);
    }
    expect((await rowOf(of, 'told')).callback_secret).toBe(stored.callback_secret);
    for (const name of ['told', '']) expect((await get(of, name)).text).not.toMatch(/secret/i);
    expect((await of.client.delete(at(of.accountId, 'told'))).text).not.toMatch(/secret/i);
  });

  test('goes with the URL, and another one comes with the next', async () => {
    const of = await account('hotel');
    const first = (await put(of, 'told', { amount: 1, callbackUrl })).body.callbackSecret;
    await put(of, 'told', { amount: 1 });
    const { callback_url, callback_secret } = await rowOf(of, 'told');
    expect([callback_url, callback_secret]).toEqual([null, null]);
    const second = (await put(of, 'told', { amount: 1, callbackUrl })).body.callbackSecret;
    expect(second).toMatch(/^[0-9a-f]{64}$/);
    expect(second).not.toBe(first);
  });
});

describe('a budget is refused', () => {
  let of: FurtherAccount;
  beforeAll(async () => {
    of = await account('india');
  });

  test.each<[string, object, RegExp]>([
    ['without an amount', {}, /body\.amount/],
    ['of nothing', { amount: 0 }, /body\.amount/],
    ['of less than nothing', { amount: -1 }, /body\.amount/],
    ['beyond 10¹² USD', { amount: 1_000_000_000_000.5 }, /body\.amount/],
    ['with seven decimals', { amount: 1.0000001 }, /at most 6 decimals/],
    ['with a tiny amount', { amount: 1e-7 }, /at most 6 decimals/],
    ['with more digits than a JSON number keeps', { amount: Number('99999999999.123456') }, /15 digits/],
    ['with an amount in words', { amount: '100' }, /body\.amount/],
    ['without a threshold', { amount: 1, thresholds: [] }, /body\.thresholds/],
    ['with eleven thresholds', { amount: 1, thresholds: Array.from({ length: 11 }, (_, at) => at + 1) }, /thresholds/],
    ['with a threshold twice', { amount: 1, thresholds: [50, 50] }, /each threshold once/],
    ['with a threshold of 0', { amount: 1, thresholds: [0] }, /body\.thresholds\.0/],
    ['with a threshold over 1000', { amount: 1, thresholds: [1001] }, /body\.thresholds\.0/],
    ['with half a percent', { amount: 1, thresholds: [50.5] }, /body\.thresholds\.0/],
    ['of something else', { amount: 1, of: 'tokens' }, /body\.of/],
    ['with a callback to no address', { amount: 1, callbackUrl: 'hooks' }, /http or https address/],
    ['with a callback by another protocol', { amount: 1, callbackUrl: 'ftp://a.example' }, /http or https address/],
    ['with a workspace that does not exist', { amount: 1, workspace: 'nowhere' }, /nowhere.*Create it first/],
    ['with the workspace of another account', { amount: 1, workspace: 'main' }, /main.*Create it first/],
  ])('%s, and the message says why', async (_what, body, message) => {
    const answer = await put(of, 'refused', body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
    expect((await get(of, 'refused')).status).toBe(404);
  });

  test.each(['A', 'a b', '-a', 'a.b', 'x'.repeat(50), 'ä'])('with the name %s', async (name) => {
    const answer = await put(of, name, { amount: 1 });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.body.message).toMatch(/^path\.budgetName: .+\. Correct it/);
  });

  test.each([0.000001, 1_000_000_000_000, 999_999_999.999999, 0.1])('but not for the amount %d', async (amount) => {
    const { status, body } = await put(of, 'kept', { amount });
    expect([status, body.amount]).toEqual([200, amount]);
  });
});

test('an account has at most 20 budgets, also when they are created at once; existing ones can change', async () => {
  const of = await account('juliett');
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => put(of, `b-${index}`, { amount: 1 })));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(10);
  for (const { status, body } of refused) {
    expect([status, body.error]).toEqual([403, 'too_many_budgets']);
    expect(body.message).toContain('Delete one first');
  }
  const stored = (await get(of)).body;
  expect(stored).toHaveLength(20);
  expect((await put(of, stored[0].name, { amount: 2 })).status).toBe(200);
  await of.client.delete(at(of.accountId, stored[1].name));
  expect((await put(of, 'one-more', { amount: 1 })).status).toBe(200);
});

test('one name written at once is one budget, with one secret that was shown', async () => {
  const of = await account('kilo');
  const body = { amount: 1, callbackUrl: 'https://hooks.example.com' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => put(of, 'same', body)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.filter((answer) => 'callbackSecret' in answer.body)).toHaveLength(1);
});

test('writes are in the audit log of the account, refused ones are not', async () => {
  const of = await account('lima');
  await put(of, 'all', { amount: 1 });
  await put(of, 'all', { amount: -1 });
  await of.client.delete(at(of.accountId, 'all'));
  await of.client.delete(at(of.accountId, 'all'));
  const { body } = await of.client.get(`/accounts/${of.accountId}/audit`, { query: { subject: of.userId } });
  const entries: { action: string; target: string }[] = body.data;
  const written = entries.filter(({ action }) => action.startsWith('budget.')).map((entry) => Object.values(entry));
  expect(written).toEqual([
    expect.arrayContaining(['budget.delete', 'budget/all']),
    expect.arrayContaining(['budget.update', 'budget/all']),
  ]);
});

test('while ClickHouse is away budgets are written and deleted, those of models are read, and other reads answer 503', async () => {
  const of = await account('mike');
  await put(of, 'all', { amount: 1 });
  await put(of, 'models', { amount: 1, of: 'models' });
  await clickhouse.kill();
  for (const name of ['', 'all']) {
    const { status, body } = await get(of, name);
    expect([status, body.error]).toEqual([503, 'metrics_unreachable']);
  }
  expect((await get(of, 'models')).body).toMatchObject({ of: 'models', cost: 0, alerts: [] });
  await of.client.delete(at(of.accountId, 'models'));
  expect((await put(of, 'all', { amount: 2 })).body.amount).toBe(2);
  expect((await put(of, 'new', { amount: 3 })).status).toBe(200);
  expect((await of.client.delete(at(of.accountId, 'new'))).status).toBe(200);
  await clickhouse.start();
  expect((await get(of)).body).toMatchObject([{ name: 'all', amount: 2, cost: 0 }]);
});
