// Budgets of accounts with real usage. Time is an argument, and a minute passes by moving `evaluated_at`.
import { createHmac, randomBytes } from 'node:crypto';
import { headerNames } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { createKeyring, masterKeyRing, seal } from '@berth/identity';
import { createPost } from '@berth/outward';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { UsageUnavailable } from '@berth/usage';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { evaluateBudgets } from '../src/budgets/evaluate-budgets.ts';
import { tellThresholds } from '../src/budgets/tell-thresholds.ts';
import { readUsageCosts } from '../src/budgets/usage-costs.ts';
import { claimDue } from '../src/callbacks/claim.ts';
import { startDeliveries } from '../src/callbacks/start-deliveries.ts';
import { startMetering } from '../src/metering/start-metering.ts';
import { MeteredAccounts } from './metered-accounts.ts';
import { Receiver } from './receiver.ts';

const keyring = createKeyring(masterKeyRing([{ id: 'test', key: randomBytes(32) }]));
const logger = createLogger({ role: 'test' }, { level: 'silent' });
const brand = conformanceBrand();
const secret = randomBytes(32).toString('hex');

let accounts: MeteredAccounts;
let accountId: string;
let notified = 0;
beforeAll(async () => {
  accounts = await MeteredAccounts.start();
});
afterAll(() => accounts[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`truncate usage_dirty_hours, accounts cascade`.execute(accounts.database);
  accountId = await accounts.addAccount();
  notified = 0;
});

interface BudgetWish {
  readonly account?: string;
  readonly amount?: number;
  readonly thresholds?: readonly number[];
  readonly workspace?: string;
  readonly of?: 'usage' | 'models';
  readonly url?: string;
}

/** As the api stores a budget, long before the months of the tests. */
async function addBudget(name: string, wish: BudgetWish = {}): Promise<string> {
  const { account = accountId, amount = 100, thresholds = [50, 80, 100], workspace = null, of = 'usage', url } = wish;
  const id = uuidv7();
  const sealed = seal(await keyring.deploymentKey(accounts.database, 'budgets'), secret, `budget ${id}`);
  await sql`insert into budgets (id, account_id, name, amount_usd, thresholds, workspace, of, callback_url, callback_secret,
      created_at, created_by, updated_at, updated_by)
    values (${id}, ${account}, ${name}, ${amount}, ${thresholds}, ${workspace}, ${of}, ${url ?? null},
      ${url === undefined ? null : sealed}, '2020-01-01', 'x', '2020-01-01', 'x')`.execute(accounts.database);
  return id;
}

const change = (budgetId: string, amount: number) =>
  sql`update budgets set amount_usd = ${amount} where id = ${budgetId}`.execute(accounts.database);

/** A minute after the last evaluation. */
async function evaluate(now: string, loops = 1): Promise<void> {
  await sql`update budgets set evaluated_at = '-infinity'`.execute(accounts.database);
  const { database, usage } = accounts;
  const notifyDeliveries = () => {
    notified += 1;
  };
  const { signal } = new AbortController();
  await Promise.all(
    Array.from({ length: loops }, () =>
      evaluateBudgets({ database, usage, notifyDeliveries, signal }, Date.parse(now)),
    ),
  );
}

const alerts = async () => {
  const rows = await accounts.database
    .selectFrom('budget_alerts')
    .innerJoin('budgets', 'budgets.id', 'budget_id')
    .select(['name', 'month', 'percent'])
    .orderBy('reached_at')
    .orderBy('month')
    .orderBy('name')
    .orderBy('percent')
    .execute();
  return rows.map(({ name, month, percent }) => `${name} ${month} ${percent}`);
};

/** What models cost in a month, as a gateway counts it. */
const spend = (budgetId: string, nanoUsd: bigint, month: string) =>
  sql`insert into limit_windows (subject, measure, window_start, gateway_run, sent, received, nano_usd, expires_at)
    values (${budgetId}, 'money', ${`${month}-01T00:00:00Z`}, ${uuidv7()}, 1, 1, ${String(nanoUsd)}, 'infinity')`.execute(
    accounts.database,
  );

/** Usage of this cost. */
const use = (usd: number, at: string, workspace = 'main', account = accountId) =>
  accounts.store({ accountId: account, at: new Date(at), seconds: usd * 2, workspace });

test('each threshold is told once in a month, whatever happens to the budget, and again in the next month', async () => {
  const id = await addBudget('all', { url: 'http://127.0.0.1:1/' });
  await use(60, '2028-02-10T05:00:00Z');
  await evaluate('2028-02-10T06:00:00Z', 2);
  expect(await alerts()).toEqual(['all 2028-02 50']);
  // Two processes that have read the costs before one of them told the threshold.
  await use(30, '2028-02-29T23:00:00Z');
  const now = Date.parse('2028-02-29T23:59:59Z');
  const costs = await readUsageCosts(accounts.database, accounts.usage.metrics, accountId, now);
  const told = await Promise.all([1, 2, 3].map(() => tellThresholds(accounts.database, id, costs)));
  expect(told.filter((hasCallback) => hasCallback)).toHaveLength(1);
  expect(await alerts()).toEqual(['all 2028-02 50', 'all 2028-02 80']);
  // A higher amount tells nothing again, and a lower one what it reaches beyond.
  await change(id, 10_000);
  await evaluate('2028-02-29T23:59:59Z');
  await change(id, 90);
  await evaluate('2028-02-29T23:59:59Z');
  expect(await alerts()).toEqual(['all 2028-02 50', 'all 2028-02 80', 'all 2028-02 100']);
  await change(id, 100);
  await use(85, '2028-03-02T10:00:00Z');
  await evaluate('2028-03-02T11:00:00Z');
  expect((await alerts()).slice(3)).toEqual(['all 2028-03 50', 'all 2028-03 80']);
  const { rows } = await sql`select from deliveries`.execute(accounts.database);
  expect([rows.length, notified]).toEqual([5, 3]);
});

test('an amount that is changed while thresholds are stored is the one that they are compared with', async () => {
  const id = await addBudget('all');
  const { database } = accounts;
  const isBlocked = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
    return rows.length;
  };
  const costs = [{ month: '2028-02', costOf: () => 60n * 10n ** 12n }];
  const telling = await database.transaction().execute(async (tx) => {
    await sql`update budgets set amount_usd = 70 where id = ${id}`.execute(tx);
    const started = tellThresholds(database, id, costs);
    await expect.poll(isBlocked).toBe(1);
    return { started };
  });
  await telling.started;
  expect(await alerts()).toEqual(['all 2028-02 50', 'all 2028-02 80']);
});

test('late usage of a month is told for three days, and by a budget that is older than its end', async () => {
  await addBudget('old');
  await addBudget('new');
  await sql`update budgets set updated_at = '2028-05-01T00:00:00Z' where name = 'new'`.execute(accounts.database);
  await use(60, '2028-04-30T23:00:00Z');
  await evaluate('2028-05-03T23:59:59.999Z');
  expect(await alerts()).toEqual(['old 2028-04 50']);
  await use(30, '2028-04-30T23:10:00Z');
  await evaluate('2028-05-04T00:00:00Z');
  expect(await alerts()).toHaveLength(1);
});

test('a budget counts its workspace by name, or all of its account, and no other account', async () => {
  const other = await accounts.addAccount();
  await addBudget('all');
  await addBudget('main', { workspace: 'main' });
  await addBudget('side', { workspace: 'side' });
  await addBudget('foreign', { account: other });
  const at = new Date('2028-06-10T05:00:00Z');
  await accounts.store(
    { accountId, at, seconds: 80, workspace: 'main' },
    { accountId, at, seconds: 110, workspace: 'side' },
    // Another workspace with the name of a deleted one.
    { accountId, at, seconds: 10, workspace: 'main', dimension: 'job_compute_runtime_gbs' },
    { accountId: other, at, seconds: 98, workspace: 'main' },
  );
  await evaluate('2028-06-10T06:00:00Z');
  expect((await alerts()).toSorted()).toEqual([
    'all 2028-06 100',
    'all 2028-06 50',
    'all 2028-06 80',
    'side 2028-06 50',
  ]);
});

test('a budget of models tells thresholds of what its models cost at all gateways, and of no usage', async () => {
  const usd = 10n ** 9n;
  const [all, main] = [
    await addBudget('all', { of: 'models' }),
    await addBudget('main', { of: 'models', workspace: 'main' }),
  ];
  await addBudget('used');
  await use(79, '2028-06-10T05:00:00Z');
  await spend(all, 80n * usd - 1n, '2028-06');
  await spend(main, 50n * usd, '2028-06');
  await spend(main, 100n * usd, '2028-05');
  await evaluate('2028-06-10T06:00:00Z');
  expect((await alerts()).toSorted()).toEqual(['all 2028-06 50', 'main 2028-06 50', 'used 2028-06 50']);
  // Another gateway.
  await spend(all, 1n, '2028-06');
  await evaluate('2028-06-10T06:00:00Z');
  await evaluate('2028-06-10T06:00:00Z');
  expect((await alerts()).filter((alert) => alert.startsWith('all'))).toEqual(['all 2028-06 50', 'all 2028-06 80']);
  const { rows } =
    await sql`select pico, amount_usd from budget_alerts where budget_id = ${all} order by percent`.execute(
      accounts.database,
    );
  expect(rows).toEqual([
    { pico: '79999999999000', amount_usd: '100.000000' },
    { pico: '80000000000000', amount_usd: '100.000000' },
  ]);
});

test('a budget of models whose last requests were in a month that is over tells them, and its callback says what it is of', async () => {
  const id = await addBudget('all', { of: 'models', thresholds: [100], url: 'http://127.0.0.1:1/' });
  await spend(id, 100n * 10n ** 9n, '2028-06');
  await evaluate('2028-07-01T00:00:01Z');
  expect(await alerts()).toEqual(['all 2028-06 100']);
  const { body } = await accounts.database.selectFrom('deliveries').select('body').executeTakeFirstOrThrow();
  expect(JSON.parse(body)).toMatchObject({ budget: 'all', of: 'models', month: '2028-06', threshold: 100, cost: 100 });
});

test('an account that cannot be evaluated does not keep others from being told', async () => {
  const broken = await accounts.addAccount();
  await sql`update prices set usd_per_unit = 'NaN' where account_id = ${broken}`.execute(accounts.database);
  await addBudget('broken', { account: broken });
  await addBudget('all');
  await use(60, '2028-07-10T05:00:00Z');
  await expect(evaluate('2028-07-10T06:00:00Z')).rejects.toThrow('Budgets of 1 accounts are not evaluated.');
  expect(await alerts()).toEqual(['all 2028-07 50']);
});

test('a callback tells the threshold, and one whose process was killed is sent by another under the same id', async () => {
  await using receiver = await Receiver.start();
  const id = await addBudget('all', { url: receiver.url, workspace: 'main', thresholds: [50, 100] });
  await use(60.5, '2028-08-10T05:00:00Z');
  await evaluate('2028-08-10T06:00:00Z');
  // A process claims the delivery and is killed before it is sent.
  const [claimed] = await claimDue(accounts.database, 10, 60_000);
  expect(await claimDue(accounts.database, 10, 60_000)).toEqual([]);
  await sql`update deliveries set claimed_until = now()`.execute(accounts.database);
  const { database, home } = accounts;
  const post = createPost({ allowedRanges: ['127.0.0.0/8'] });
  const options = { database, databaseUrl: home.url, keyring, brand, post, logger, random: () => 0, pollMs: 20 };
  const loop = startDeliveries(options);
  await expect.poll(() => receiver.calls.length).toBe(1);
  await loop.stop();
  const alert = await database.selectFrom('budget_alerts').selectAll().executeTakeFirstOrThrow();
  const [call] = receiver.calls;
  expect(call?.body).toBe(
    `{"type":"budget.threshold_reached","accountId":"${accountId}","budget":"all","of":"usage","workspace":"main","month":"2028-08",` +
      `"threshold":50,"amount":100,"cost":60.5,"reachedAt":"${alert.reached_at.toISOString()}"}`,
  );
  const { deliveryId, signature } = headerNames(brand);
  expect(call?.headers[deliveryId.toLowerCase()]).toBe(claimed?.id);
  expect(alert.delivery_id).toBe(claimed?.id);
  const expected = createHmac('sha256', secret)
    .update(call?.body ?? '')
    .digest('hex');
  expect(call?.headers[signature.toLowerCase()]).toBe(`sha256=${expected}`);
  // Nothing of a deleted budget is left, and nothing is told of it.
  const costs = await readUsageCosts(database, accounts.usage.metrics, accountId, Date.parse('2028-08-10T06:00:00Z'));
  await sql`delete from budgets`.execute(database);
  expect(await tellThresholds(database, id, costs)).toBe(false);
  const { rows } = await sql`select id from deliveries union all select budget_id from budget_alerts`.execute(database);
  expect(rows).toEqual([]);
});

test('while ClickHouse is away budgets of models are told, and those of usage when it is back', async () => {
  await addBudget('all');
  const models = await addBudget('models', { of: 'models', thresholds: [50] });
  const month = new Date().toISOString().slice(0, 7);
  await spend(models, 50n * 10n ** 9n, month);
  await use(60, new Date(Math.floor(Date.now() / 3_600_000 - 3) * 3_600_000).toISOString());
  await accounts.clickhouse.kill();
  await expect(evaluate(new Date().toISOString())).rejects.toMatchObject({ errors: [expect.any(UsageUnavailable)] });
  expect(await alerts()).toEqual([`models ${month} 50`]);
  await sql`update budgets set evaluated_at = '-infinity'`.execute(accounts.database);
  const { database, usage } = accounts;
  const registry = createMetricsRegistry({ role: 'test' });
  const loop = startMetering({ database, usage, logger, registry, notifyDeliveries: () => {}, pollMs: 100 });
  try {
    // Hours are closed before: that they cannot be does not keep budgets from being evaluated.
    const isTried = async () => {
      const { rows } = await sql`select from budgets where evaluated_at > '-infinity'`.execute(database);
      return rows.length;
    };
    await expect.poll(isTried, { timeout: 30_000 }).toBe(2);
    await accounts.clickhouse.start();
    expect(await alerts()).toHaveLength(1);
    await sql`update budgets set evaluated_at = '-infinity'`.execute(database);
    await expect.poll(async () => (await alerts()).length, { timeout: 60_000 }).toBe(2);
  } finally {
    await loop.stop();
  }
});
