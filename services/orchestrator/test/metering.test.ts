// Hours of the ledger are closed once, and verified domains are metered: real PostgreSQL and ClickHouse.
import { billingDimensions } from '@berth/contract';
import { connect, type Database, uuidv7 } from '@berth/database';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { type LedgerRow, openUsage, storeRows, type Usage } from '@berth/usage';
import { createClient } from '@clickhouse/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { createTestDatabase, type TestDatabase } from '../../../engines/test-database.ts';
import { claimDirtyHours } from '../src/metering/claim-dirty-hours.ts';
import { closeHour } from '../src/metering/close-hour.ts';
import { maxMeteredCalls, meterInvocations } from '../src/metering/meter-invocations.ts';
import { meterSpans } from '../src/metering/meter-spans.ts';
import { startMetering } from '../src/metering/start-metering.ts';

const hour = 3_600_000;
const logger = createLogger({ role: 'test' }, { level: 'silent' });
let home: TestDatabase;
let database: Database;
let clickhouse: TestClickhouse;
let usage: Usage;
let accountId: string;
let workspaceId: string;

beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 4 });
  clickhouse = await startTestClickhouse();
  usage = openUsage({ url: clickhouse.url, logger });
});
afterAll(async () => {
  await usage.close();
  await database.destroy();
  await home.drop();
  await clickhouse[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await sql`truncate invocations, usage_dirty_hours, usage_closed_hours, usage_spans, resources, workspaces, accounts cascade`.execute(
    database,
  );
  [accountId, workspaceId] = [uuidv7(), uuidv7()];
  await sql`insert into accounts (id, display_name, owner_email, plan, tier)
    values (${accountId}, 'A', 'a@example.com', 'p', 't')`.execute(database);
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${workspaceId}, ${accountId}, ${`w-${workspaceId.slice(-8)}`}, 'ready', 'x', 'x')`.execute(database);
  for (const { name, unit } of billingDimensions)
    await sql`insert into prices (account_id, billing_dimension, unit, usd_per_unit, valid_from)
      values (${accountId}, ${name}, ${unit}, 0.5, '2020-01-01')`.execute(database);
});

/** A full hour in the past that can be closed. */
const past = Math.floor(Date.now() / hour) * hour - 3 * hour;

const row = (fromMs: number, seconds: number, more: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ accountId, workspaceId, workspace: 'main', resourceType: 'agent', resourceName: 'web' },
  ...{ resourceUid: workspaceId, dimension: 'agent_compute_runtime_gbs', source: workspaceId },
  ...{ interval: 0, part: 0, rate: 1_024 * 1_024, amount: 0, fromMs, toMs: fromMs + seconds * 1_000 },
  ...more,
});

const closed = async () =>
  (await database.selectFrom('usage_closed_hours').selectAll().orderBy('hour').execute()).map(
    ({ hour: at, micro, pico, closings }) => ({ at: at.getTime(), micro, pico, closings }),
  );
const dirty = () => database.selectFrom('usage_dirty_hours').selectAll().execute();

test('an hour is closed a quarter of an hour after its end, with its usage and its cost', async () => {
  const current = Math.floor(Date.now() / hour) * hour;
  await storeRows(database, usage.ledger, [row(past, 10), row(current, 0.5, { interval: 1 })]);
  const claimed = await claimDirtyHours(database, 10, 60_000);
  expect(claimed.map((each) => each.hour.getTime())).toEqual([past]);
  for (const each of claimed) await closeHour(database, usage, each);
  expect(await closed()).toEqual([{ at: past, micro: '10000000', pico: '5000000000000', closings: 1 }]);
  expect((await dirty()).map((each) => each.hour.getTime())).toEqual([current]);
});

test('a late row opens its hour again, and the next close replaces the totals', async () => {
  await storeRows(database, usage.ledger, [row(past, 10)]);
  for (const each of await claimDirtyHours(database, 10, 60_000)) await closeHour(database, usage, each);
  await storeRows(database, usage.ledger, [row(past, 30)]);
  for (const each of await claimDirtyHours(database, 10, 60_000)) await closeHour(database, usage, each);
  expect(await closed()).toEqual([{ at: past, micro: '30000000', pico: '15000000000000', closings: 2 }]);
});

test('rows that arrive while an hour is closed leave it open', async () => {
  await storeRows(database, usage.ledger, [row(past, 10)]);
  const [claimed] = await claimDirtyHours(database, 10, 60_000);
  await storeRows(database, usage.ledger, [row(past, 20)]);
  if (claimed !== undefined) await closeHour(database, usage, claimed);
  expect(await dirty()).toHaveLength(1);
  for (const each of await claimDirtyHours(database, 10, 60_000)) await closeHour(database, usage, each);
  expect(await closed()).toMatchObject([{ micro: '20000000' }]);
  expect(await dirty()).toEqual([]);
});

test('an hour of which ClickHouse has lost usage keeps its totals when it is closed again', async () => {
  const closeAll = async () => {
    for (const each of await claimDirtyHours(database, 10, 60_000)) await closeHour(database, usage, each);
  };
  await storeRows(database, usage.ledger, [row(past, 30)]);
  await closeAll();
  const client = createClient({ url: clickhouse.url });
  for (const table of ['usage_intervals', 'usage_hours']) await client.command({ query: `TRUNCATE TABLE ${table}` });
  await client.close();
  await storeRows(database, usage.ledger, [row(past, 10, { interval: 1 })]);
  await closeAll();
  expect(await closed()).toEqual([{ at: past, micro: '30000000', pico: '15000000000000', closings: 2 }]);
});

test('an hour is closed by one process at a time, and by another one after the lease of a killed one', async () => {
  await storeRows(database, usage.ledger, [row(past, 10)]);
  expect(await claimDirtyHours(database, 10, 60_000)).toHaveLength(1);
  expect(await claimDirtyHours(database, 10, 60_000)).toEqual([]);
  await sql`update usage_dirty_hours set claimed_until = '-infinity'`.execute(database);
  expect(await claimDirtyHours(database, 10, 60_000)).toHaveLength(1);
});

test('while ClickHouse is away hours stay open, and are closed when it is back', async () => {
  await storeRows(database, usage.ledger, [row(past, 10)]);
  await clickhouse.kill();
  const metering = startMetering({
    database,
    usage,
    logger,
    registry: createMetricsRegistry({ role: 'test' }),
    notifyDeliveries: () => {},
    pollMs: 100,
  });
  try {
    await expect.poll(async () => (await dirty())[0]?.claimed_until.getTime(), { timeout: 30_000 }).toBeGreaterThan(0);
    expect(await closed()).toEqual([]);
    await clickhouse.start();
    // A failed claim is free again after its lease.
    await sql`update usage_dirty_hours set claimed_until = '-infinity'`.execute(database);
    await expect.poll(closed, { timeout: 60_000 }).toMatchObject([{ micro: '10000000' }]);
  } finally {
    await metering.stop();
  }
});

async function addDomain(name: string, status: string): Promise<string> {
  const uid = uuidv7();
  await sql`insert into resources (uid, workspace_id, kind, name, spec, search, created_by, updated_by)
    values (${uid}, ${workspaceId}, 'customdomain', ${name}, ${JSON.stringify({ status })}::jsonb, ${name}, 'x', 'x')`.execute(
    database,
  );
  return uid;
}
const spans = () => database.selectFrom('usage_spans').selectAll().execute();

test('a domain is metered from its verification to its end, however often it is written in between', async () => {
  const uid = await addDomain('a.example.com', 'pending');
  expect(await spans()).toEqual([]);
  for (const status of ['verified', 'verified'])
    await sql`update resources set spec = ${JSON.stringify({ status })}::jsonb where uid = ${uid}`.execute(database);
  expect(await spans()).toMatchObject([{ resource_uid: uid, to_at: null, metered_to: null }]);
  await sql`update usage_spans set from_at = ${new Date(past)}`.execute(database);
  await meterSpans(database, usage);
  for (const each of await claimDirtyHours(database, 10, 60_000)) await closeHour(database, usage, each);
  // Whether the hour before the present one can be closed depends on the minute.
  expect((await closed()).slice(0, 2)).toMatchObject([
    { at: past, micro: '1000000' },
    { at: past + hour, micro: '1000000' },
  ]);
  await sql`delete from resources where uid = ${uid}`.execute(database);
  const [ended] = await spans();
  expect(ended?.to_at).toBeInstanceOf(Date);
  await meterSpans(database, usage);
  expect((await spans())[0]?.metered_to).toEqual(ended?.to_at);
  expect(await meterSpans(database, usage)).toBe(0);
});

test('the domains of a deleted workspace cost nothing after it', async () => {
  await addDomain('b.example.com', 'verified');
  expect(await spans()).toMatchObject([{ to_at: null }]);
  await sql`delete from workspaces where id = ${workspaceId}`.execute(database);
  expect(await spans()).toMatchObject([{ to_at: expect.any(Date) }]);
});

test('each asynchronous call is counted once, whenever it is metered again and whatever came of it', async () => {
  const calls = maxMeteredCalls + 20;
  const agent = uuidv7();
  await sql`insert into invocations (id, account_id, workspace_id, workspace_name, resource_uid, resource_name, is_by_member,
      method, path, body_bytes, max_runs, timeout_seconds, accepted_at)
    select gen_random_uuid(), ${accountId}::uuid, ${workspaceId}::uuid, 'main', ${agent}::uuid, 'helper', true, 'POST', '/', 0,
      1, 900, ${new Date(past)}::timestamptz + number * interval '1 millisecond'
    from generate_series(1, ${calls}::int) as number`.execute(database);
  // Two at once, one after a kill between the ledger and PostgreSQL, and what is left.
  const both = await Promise.all([meterInvocations(database, usage), meterInvocations(database, usage)]);
  expect(both).toEqual([maxMeteredCalls, maxMeteredCalls]);
  await sql`update invocations set metered_at = null where resource_name = 'helper'
    and id in (select id from invocations where metered_at is not null limit 500)`.execute(database);
  await sql`update invocations set status = 'unknown', ended_at = now()`.execute(database);
  while ((await meterInvocations(database, usage)) > 0);
  const client = createClient({ url: clickhouse.url });
  const counted = await client.query({
    query: `select count() as rows, sum(amount) as amount from usage_intervals final
      where resource_uid = {agent: UUID} and dimension = 'agent_async_requests_count'`,
    query_params: { agent },
    format: 'JSONEachRow',
  });
  expect(await counted.json()).toEqual([{ rows: calls, amount: calls }]);
  await client.close();
  const left = await database.selectFrom('invocations').select('id').where('metered_at', 'is', null).execute();
  expect(left).toEqual([]);
});
