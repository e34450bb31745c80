// What runners have metered, from the batch to the metrics of the account: a real api, PostgreSQL and ClickHouse.
import type { UsageInterval } from '@berth/contract/node';
import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { loadPrices, openUsage, type Usage } from '@berth/usage';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { storeUsageBatch } from '../src/metering/store-usage-batch.ts';

let clickhouse: TestClickhouse;
let api: TestApi;
let usage: Usage;
const runnerId = uuidv7();
const second = 1_000;

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ clickhouse });
  usage = openUsage({ url: clickhouse.url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
  await api.database.insertInto('runners').values({ id: runnerId, name: 'one', region: 'local' }).execute();
});
afterAll(async () => {
  await usage.close();
  await api[Symbol.asyncDispose]();
  await clickhouse[Symbol.asyncDispose]();
});

/** An instance of an hour ago, with 1 GB unless `spec` says otherwise. */
async function addInstance(name: string, { kind = 'agent', workspace = api.workspace, spec = {} } = {}) {
  const { id: workspaceId } = await api.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', workspace)
    .executeTakeFirstOrThrow();
  const [id, uid] = [uuidv7(), uuidv7()];
  await api.database
    .insertInto('instances')
    .values({
      ...{ id, workspace_id: workspaceId, resource_uid: uid, revision: '1', runner_id: runnerId, reserved_mb: 128 },
      spec: JSON.stringify({ resource: { uid, kind, name }, memoryMb: 1_024, ...spec }),
      created_at: new Date(base),
    })
    .execute();
  return { id, uid };
}

/** Before the present, so that nothing is clipped to it. */
const base = Date.now() - 3_600_000;
const interval = (instance: string, fromSecond: number, toSecond: number, more = {}): UsageInterval => ({
  ...{ instance, number: 0, memoryMb: 1_024, fromMs: base + fromSecond * second, toMs: base + toSecond * second },
  ...more,
});
const send = (intervals: UsageInterval[], ended: string[] = []) =>
  storeUsageBatch({ database: api.database, usage }, runnerId, { intervals, ended });

/** GB-seconds of a resource by name, by dimension. */
async function usedBy(name: string): Promise<Record<string, number>> {
  const dirty = await api.database.selectFrom('usage_dirty_hours').select('hour').execute();
  const { groups } = await usage.metrics.query({
    ...{ accountId: api.accountId, fromMs: base - 3_600_000, toMs: base + 7_200_000, resolution: 'hourly' },
    ...{ groupBy: ['billing_dimension'], filters: { resourceName: name }, limit: 100 },
    dirtyHoursMs: dirty.map(({ hour }) => hour.getTime()),
    prices: await loadPrices(api.database, api.accountId),
  });
  return Object.fromEntries(groups.map(({ billingDimension, micro }) => [billingDimension, Number(micro) / 1e6]));
}

// Tests with workloads of their own run at the same time: each write waits a quarter of a second for more rows.
test.concurrent('an interval that is sent twice, longer and out of order is billed once, at its longest', async () => {
  const { id } = await addInstance('often');
  const [short, long] = [interval(id, 0, 10), interval(id, 0, 25)];
  for (const batch of [[short], [long], [short, long], [short]]) await send(batch);
  expect(await usedBy('often')).toEqual({ agent_compute_runtime_gbs: 25 });
  await send([interval(id, 30, 35, { number: 1 })]);
  expect(await usedBy('often')).toEqual({ agent_compute_runtime_gbs: 30 });
});

test.concurrent.each([
  ['agent', 'agent_compute_runtime_gbs'],
  ['function', 'mcp_server_compute_runtime_gbs'],
  ['job', 'job_compute_runtime_gbs'],
  ['sandbox', 'sandbox_compute_runtime_gbs'],
])('an instance of kind %s is billed as %s, by its memory', async (kind, dimension) => {
  const spec = kind === 'sandbox' ? { mode: 'sandbox', sandbox: {} } : {};
  const { id } = await addInstance(`kind-${kind}`, { kind, spec });
  await send([interval(id, 0, 8, { memoryMb: 512 })]);
  expect(await usedBy(`kind-${kind}`)).toEqual({ [dimension]: 4 });
});

test.concurrent('what a runner invents costs nothing: other runners, unknown instances, time and memory that were not given', async () => {
  const { id } = await addInstance('invented');
  expect(await send([interval(uuidv7(), 0, 10)])).toEqual({ stored: 0 });
  await send([interval(id, -600, 10, { memoryMb: 99_999 })]);
  expect(await usedBy('invented')).toEqual({ agent_compute_runtime_gbs: 10 });
  const other = uuidv7();
  await api.database.insertInto('runners').values({ id: other, name: 'other', region: 'local' }).execute();
  await storeUsageBatch({ database: api.database, usage }, other, { intervals: [interval(id, 0, 500)], ended: [id] });
  expect(await usedBy('invented')).toEqual({ agent_compute_runtime_gbs: 10 });
  expect(await meteredAt(id)).toBeNull();
});

const meteredAt = async (id: string) =>
  (await api.database.selectFrom('instances').select('metered_at').where('id', '=', id).executeTakeFirstOrThrow())
    .metered_at;

test('time after the end of an instance, and time in which its runner was lost, costs nothing', async () => {
  const { id } = await addInstance('lost');
  await api.database
    .insertInto('runner_absences')
    .values({ runner_id: runnerId, since: new Date(base + 20 * second), until: new Date(base + 50 * second) })
    .execute();
  await send([interval(id, 0, 60)]);
  expect(await usedBy('lost')).toEqual({ agent_compute_runtime_gbs: 30 });
  await sql`update instances set ended_at = ${new Date(base + 70 * second)} where id = ${id}`.execute(api.database);
  await send([interval(id, 0, 100)], [id]);
  expect(await usedBy('lost')).toEqual({ agent_compute_runtime_gbs: 40 });
  expect(await meteredAt(id)).toBeInstanceOf(Date);
  await sql`delete from runner_absences`.execute(api.database);
});

test.concurrent('usage of a deleted workspace is billed to its account, under the name that it had', async () => {
  await api.addWorkspace('short-lived');
  const { id } = await addInstance('orphan', { workspace: 'short-lived' });
  await sql`delete from workspaces where name = 'short-lived'`.execute(api.database);
  await send([interval(id, 0, 5)]);
  expect(await usedBy('orphan')).toEqual({ agent_compute_runtime_gbs: 5 });
});

test('an instance that waits in a pool has no owner, and is not billed', async () => {
  const id = uuidv7();
  await sql`insert into instances (id, pool, revision, runner_id, spec, reserved_mb)
    values (${id}, 'runc tiny', 'warm', ${runnerId}, ${JSON.stringify({ memoryMb: 512, sandbox: {} })}, 64)`.execute(
    api.database,
  );
  expect(await send([interval(id, 0, 10)], [id])).toEqual({ stored: 0 });
});

test('while ClickHouse is away a batch is refused and its hour is marked; sent again it is billed', async () => {
  const { id } = await addInstance('outage');
  await clickhouse.kill();
  await expect(send([interval(id, 0, 5)])).rejects.toMatchObject({ status: 503 });
  await clickhouse.start();
  await send([interval(id, 0, 5)]);
  expect(await usedBy('outage')).toEqual({ agent_compute_runtime_gbs: 5 });
});

test('without ClickHouse a batch is acknowledged, so that runners do not keep it for ever', async () => {
  const { id } = await addInstance('nowhere');
  const batch = { intervals: [interval(id, 0, 5)], ended: [id] };
  expect(await storeUsageBatch({ database: api.database, usage: undefined }, runnerId, batch)).toEqual({ stored: 0 });
  expect(await meteredAt(id)).toBeInstanceOf(Date);
});
