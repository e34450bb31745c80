// Each planted fault in stored usage is found by its name, and clean data has none.
import { connect, type Database, uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { checkUsage, type Finding, type LedgerRow, loadPrices, openUsage, storeRows, type Usage } from '@berth/usage';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { createTestDatabase, type TestDatabase } from '../../../engines/test-database.ts';

const hour = 3_600_000;
/** Hours that are over for long enough to be closed. */
const base = Math.floor(Date.now() / hour) * hour - 24 * hour;
const dimension = 'agent_compute_runtime_gbs';

let home: TestDatabase;
let database: Database;
let clickhouse: TestClickhouse;
let client: ClickHouseClient;
let usage: Usage;
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 4 });
  clickhouse = await startTestClickhouse();
  client = createClient({ url: clickhouse.url });
  usage = openUsage({ url: clickhouse.url, logger: createLogger({ role: 'test' }, { level: 'silent' }) });
  await usage.migrate();
});
afterAll(async () => {
  await usage.close();
  await client.close();
  await database.destroy();
  await home.drop();
  await clickhouse[Symbol.asyncDispose]();
});

async function addAccount(): Promise<string> {
  const id = uuidv7();
  await sql`insert into accounts (id, display_name, owner_email, plan, tier)
    values (${id}, 'A', 'a@example.com', 'p', 't')`.execute(database);
  await sql`insert into prices (account_id, billing_dimension, unit, usd_per_unit, valid_from)
    values (${id}, ${dimension}, 'gbs', 0.25, '2020-01-01')`.execute(database);
  return id;
}

const row = (accountId: string, at: number, more: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ accountId, workspaceId: accountId, workspace: 'main', resourceType: 'agent', resourceName: 'web' },
  ...{ resourceUid: accountId, dimension, source: uuidv7(), interval: 0, part: 0, rate: 1_048_576, amount: 0 },
  ...{ fromMs: base + at * hour, toMs: base + at * hour + 60_000 },
  ...more,
});

/** As the orchestrator closes hours. */
async function closeHours(accountId: string): Promise<void> {
  const dirty = await database
    .selectFrom('usage_dirty_hours')
    .select('hour')
    .where('account_id', '=', accountId)
    .execute();
  for (const { hour: at } of dirty) {
    const prices = await loadPrices(database, accountId);
    const { micro, pico } = await usage.ledger.closeHour({
      accountId,
      hourMs: at.getTime(),
      prices,
      version: Date.now(),
    });
    await sql`insert into usage_closed_hours (account_id, hour, micro, pico)
      values (${accountId}, ${at}, ${String(micro)}::numeric, ${String(pico)}::numeric)`.execute(database);
  }
  await sql`delete from usage_dirty_hours where account_id = ${accountId}`.execute(database);
}

/** An account with three closed hours. */
async function cleanAccount(): Promise<string> {
  const accountId = await addAccount();
  await storeRows(
    database,
    usage.ledger,
    [0, 1, 2].map((at) => row(accountId, at)),
  );
  await closeHours(accountId);
  return accountId;
}

/** Names of the faults of an account. */
const faultsOf = (findings: readonly Finding[], accountId: string): string[] =>
  [...new Set(findings.filter((each) => each.accountId === accountId).map(({ check }) => check))].sort();

const plantRow = (values: object) =>
  client.insert({ table: 'usage_intervals', values: [values], format: 'JSONEachRow' });
const columns = (accountId: string, more: object = {}) => ({
  ...{
    account_id: accountId,
    workspace_id: accountId,
    workspace: 'main',
    resource_type: 'agent',
    resource_name: 'web',
  },
  ...{ resource_uid: accountId, dimension, source: uuidv7(), interval: 0, part: 0, rate: 1_048_576, amount: 0 },
  ...{
    hour: base / 1_000,
    from: (base / 1_000).toFixed(3),
    to: ((base + 1_000) / 1_000).toFixed(3),
    version: base + 1_000,
  },
  ...more,
});

const control = 'a closed hour differs from the totals that PostgreSQL kept';
const differs = 'the usage of a closed hour differs from its rows';

const planted: readonly { fault: string; plant: (accountId: string) => Promise<unknown>; found: readonly string[] }[] =
  [
    {
      fault: 'a row that leaves its hour',
      plant: (id) => plantRow(columns(id, { to: ((base + 2 * hour) / 1_000).toFixed(3), version: base + 2 * hour })),
      found: ['a row ends before it begins, or lies outside of its hour', differs],
    },
    {
      fault: 'a row with the version of another state',
      plant: (id) => plantRow(columns(id, { version: 7 })),
      found: ['a row would not replace its earlier state', differs],
    },
    {
      fault: 'an interval that overlaps another of its source',
      plant: async (id) => {
        const source = uuidv7();
        await plantRow(columns(id, { source }));
        await plantRow(columns(id, { source, interval: 1 }));
      },
      found: ['the same time is billed twice', differs],
    },
    {
      fault: 'a source that two workspaces pay for',
      plant: async (id) => {
        const source = uuidv7();
        await plantRow(columns(id, { source }));
        const from = { from: ((base + 5_000) / 1_000).toFixed(3), to: ((base + 6_000) / 1_000).toFixed(3) };
        await plantRow(columns(id, { source, interval: 1, workspace_id: uuidv7(), ...from, version: base + 6_000 }));
      },
      found: ['one source is billed to several owners', differs],
    },
    {
      fault: 'a sandbox that is billed as an agent',
      plant: (id) => plantRow(columns(id, { resource_type: 'sandbox' })),
      found: ['a row has a dimension that its type of resource does not have', differs],
    },
    {
      fault: 'a row without memory',
      plant: (id) => plantRow(columns(id, { rate: 0 })),
      found: ['a row has a rate or an amount that its unit does not have'],
    },
    {
      fault: 'a row of tomorrow',
      plant: (id) => {
        const at = Math.floor(Date.now() / hour) * hour + 24 * hour;
        const time = { hour: at / 1_000, from: (at / 1_000).toFixed(3), to: ((at + 1_000) / 1_000).toFixed(3) };
        return plantRow(columns(id, { ...time, version: at + 1_000 }));
      },
      found: ['a row lies in the future'],
    },
    {
      fault: 'rows without a mark',
      plant: (id) => usage.ledger.write([row(id, 8)]),
      found: ['an hour with usage was never closed'],
    },
    {
      fault: 'a row that came without a mark into a closed hour',
      plant: (id) => usage.ledger.write([row(id, 1)]),
      found: [differs],
    },
    {
      fault: 'closed hours that ClickHouse lost',
      plant: (id) =>
        client.command({
          query: `ALTER TABLE usage_hours DELETE WHERE account_id = '${id}' AND hour = toDateTime(${base / 1_000}, 'UTC')`,
          clickhouse_settings: { mutations_sync: '2' },
        }),
      found: [control, differs],
    },
    {
      fault: 'another cost in a closed hour',
      plant: (id) =>
        client.command({
          query: `ALTER TABLE usage_hours UPDATE pico = pico + 1 WHERE account_id = '${id}' AND hour = toDateTime(${base / 1_000}, 'UTC')`,
          clickhouse_settings: { mutations_sync: '2' },
        }),
      found: [control, 'the cost of a closed hour differs from its usage at its price'],
    },
    {
      fault: 'totals in PostgreSQL that were changed',
      plant: (id) => sql`update usage_closed_hours set micro = micro + 1 where account_id = ${id}`.execute(database),
      found: [control],
    },
    {
      fault: 'a close that PostgreSQL does not know',
      plant: (id) => sql`delete from usage_closed_hours where account_id = ${id}`.execute(database),
      found: ['an hour is closed in ClickHouse and not in PostgreSQL', 'an hour with usage was never closed'],
    },
    {
      fault: 'an account that does not exist',
      plant: (id) => sql`delete from accounts where id = ${id}`.execute(database),
      found: ['usage is billed to an account that does not exist'],
    },
  ];

/** All are planted before one check: each has an account of its own. */
async function plantAll(): Promise<string[]> {
  return Promise.all(
    planted.map(async ({ plant }) => {
      const accountId = await cleanAccount();
      await plant(accountId);
      return accountId;
    }),
  );
}

test('each planted fault is found by its name, and clean usage has none: closed, dirty or of a running hour', async () => {
  const clean = await cleanAccount();
  await storeRows(database, usage.ledger, [row(clean, 5)]);
  const now = Math.floor(Date.now() / hour) * hour;
  await storeRows(database, usage.ledger, [row(clean, 0, { fromMs: now, toMs: now + 1 })]);
  expect(faultsOf(await checkUsage(database, usage.check, 3), clean)).toEqual([]);
  const accounts = await plantAll();
  const findings = await checkUsage(database, usage.check, 3);
  expect(faultsOf(findings, clean)).toEqual([]);
  expect(planted.map(({ fault }, at) => [fault, faultsOf(findings, accounts[at] ?? '')])).toEqual(
    planted.map(({ fault, found }) => [fault, [...found].sort()]),
  );
});
