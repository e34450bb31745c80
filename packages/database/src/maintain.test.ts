import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { connect } from './connect.ts';
import { maintain } from './maintain.ts';

test('ended instances are removed after a day, join tokens 30 days after their use or expiry; live rows stay', async () => {
  await using home = await createTestDatabase();
  const database = connect({ url: home.url, maxConnections: 2 });
  const runner = randomUUID();
  await sql`insert into runners (id, name, region) values (${runner}, 'r', 'local')`.execute(database);
  for (const endedDaysAgo of [undefined, 0.5, 1.5, 10]) {
    await sql`insert into instances (id, workspace_id, resource_uid, revision, runner_id, spec, reserved_mb, created_at, ended_at)
      values (${randomUUID()}, ${randomUUID()}, ${randomUUID()}, 'rev-1', ${runner}, '{}', 1, now() - interval '20 days',
        now() - ${endedDaysAgo ?? null}::float8 * interval '1 day')`.execute(database);
  }
  for (const [expiredDaysAgo, usedDaysAgo] of [
    [-1, undefined],
    [40, undefined],
    [40, 41],
    [1, 2],
  ]) {
    await sql`insert into runner_tokens (hash, region, expires_at, used_at)
      values (${randomBytes(32)}, 'local', now() - ${expiredDaysAgo}::float8 * interval '1 day',
        now() - ${usedDaysAgo ?? null}::float8 * interval '1 day')`.execute(database);
  }
  for (const minutesAgo of [90, 1])
    await sql`insert into gateway_certificates (id, public_key, asked_at)
      values (${randomUUID()}, 'a key', now() - ${minutesAgo}::float8 * interval '1 minute')`.execute(database);
  expect(await maintain(database)).toMatchObject({ removedInstances: 2, removedTokens: 2 });
  expect(await database.selectFrom('gateway_certificates').select('public_key').execute()).toHaveLength(1);
  expect(await maintain(database)).toMatchObject({ removedInstances: 0, removedTokens: 0 });
  await database.destroy();
});

test('an ended attempt stays until its task knows how it ended', async () => {
  await using home = await createTestDatabase();
  const database = connect({ url: home.url, maxConnections: 2 });
  const runner = randomUUID();
  await sql`insert into runners (id, name, region) values (${runner}, 'r', 'local')`.execute(database);
  for (const isSettled of [true, false])
    await sql`insert into instances (id, workspace_id, resource_uid, revision, runner_id, spec, reserved_mb, ended_at,
        execution_id, task_index, attempt, settled_at)
      values (${randomUUID()}, ${randomUUID()}, ${randomUUID()}, 'rev-1', ${runner}, '{}', 0, now() - interval '2 days',
        ${randomUUID()}, 0, 1, case when ${isSettled}::boolean then now() end)`.execute(database);
  expect(await maintain(database)).toMatchObject({ removedInstances: 1 });
  const left = await database.selectFrom('instances').select('settled_at').execute();
  expect(left).toEqual([{ settled_at: null }]);
  await database.destroy();
});

test('terminated resources are removed after their retention, 30 days at most, and their events stay', async () => {
  await using home = await createTestDatabase();
  const database = connect({ url: home.url, maxConnections: 2 });
  const [account, workspace] = [randomUUID(), randomUUID()];
  await sql`insert into accounts (id, display_name, owner_email, plan, tier) values (${account}, 'A', 'a@example.com', 'p', 't')`.execute(
    database,
  );
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${workspace}, ${account}, 'w', 'ready', 'x', 'x')`.execute(database);
  const rows: [name: string, retention: string | undefined, endedMinutesAgo: number | undefined, stays: boolean][] = [
    ['live', '1s', undefined, true],
    ['default-shown', undefined, 4, true],
    ['default-over', undefined, 6, false],
    ['short-over', '30s', 1, false],
    ['long-shown', '2h', 100, true],
    ['long-over', '1h', 100, false],
    ['weeks-capped', '52w', 31 * 24 * 60, false],
  ];
  for (const [name, terminatedRetention, endedMinutesAgo] of rows) {
    const uid = randomUUID();
    const spec = terminatedRetention === undefined ? {} : { lifecycle: { terminatedRetention } };
    await sql`insert into resources (uid, workspace_id, kind, name, spec, status, created_by, updated_by, search, terminated_at)
      values (${uid}, ${workspace}, 'sandbox', ${name}, ${JSON.stringify(spec)}, 'DEPLOYED', 'x', 'x', ${name},
        now() - ${endedMinutesAgo ?? null}::float8 * interval '1 minute')`.execute(database);
    await sql`insert into resource_events (resource_uid, type, message) values (${uid}, 'deployment', 'x')`.execute(
      database,
    );
  }
  expect(await maintain(database)).toMatchObject({ removedResources: 4 });
  const left = await database.selectFrom('resources').select('name').orderBy('name').execute();
  const staying = rows.filter(([, , , stays]) => stays).map(([name]) => name);
  expect(left.map(({ name }) => name)).toEqual(staying.toSorted());
  expect(await database.selectFrom('resource_events').select('id').execute()).toHaveLength(rows.length);
  await database.destroy();
});

test('deliveries are removed 30 days after their end; those that are still tried stay', async () => {
  await using home = await createTestDatabase();
  const database = connect({ url: home.url, maxConnections: 2 });
  for (const [name, delivered, givenUp] of [
    ['old-delivered', 31, null],
    ['old-given-up', null, 31],
    ['delivered', 29, null],
    ['given-up', null, 29],
    ['open', null, null],
  ])
    await sql`insert into deliveries (id, workspace_id, resource_uid, execution_id, trigger_id, url, host, secret, body,
        created_at, delivered_at, given_up_at)
      values (${randomUUID()}, ${randomUUID()}, ${randomUUID()}, ${randomUUID()}, ${name}, 'u', 'h', 's', 'b',
        now() - interval '40 days', now() - ${delivered}::float8 * interval '1 day',
        now() - ${givenUp}::float8 * interval '1 day')`.execute(database);
  expect(await maintain(database)).toMatchObject({ removedDeliveries: 2 });
  const left = await database.selectFrom('deliveries').select('trigger_id').orderBy('trigger_id').execute();
  expect(left.map(({ trigger_id }) => trigger_id)).toEqual(['delivered', 'given-up', 'open']);
  await database.destroy();
});

test('calls are removed 30 days after their end, and a few days later those that were never metered', async () => {
  await using home = await createTestDatabase();
  const database = connect({ url: home.url, maxConnections: 2 });
  for (const [name, ended, metered] of [
    ['old', 31, true],
    ['waits-for-usage', 31, false],
    ['never-metered', 36, false],
    ['young', 29, true],
    ['open', null, true],
  ] as const)
    await sql`insert into invocations (id, account_id, workspace_id, workspace_name, resource_uid, resource_name, is_by_member,
        method, path, body_bytes, max_runs, timeout_seconds, status, ended_at, metered_at)
      values (${randomUUID()}, ${randomUUID()}, ${randomUUID()}, 'w', ${randomUUID()}, ${name}, true, 'POST', '/', 0, 1, 900,
        ${ended === null ? 'queued' : 'succeeded'}, now() - ${ended}::float8 * interval '1 day',
        ${metered ? new Date() : null})`.execute(database);
  expect(await maintain(database)).toMatchObject({ removedInvocations: 2 });
  const left = await database.selectFrom('invocations').select('resource_name').orderBy('resource_name').execute();
  expect(left.map(({ resource_name }) => resource_name)).toEqual(['open', 'waits-for-usage', 'young']);
  await database.destroy();
});

test('windows of limits are removed once nothing reads them any more', async () => {
  await using home = await createTestDatabase();
  const database = connect({ url: home.url, maxConnections: 2 });
  for (const [measure, minutes] of [
    ['over', -1],
    ['read', 1],
  ])
    await sql`insert into limit_windows (subject, measure, window_start, gateway_run, sent, received, nano_usd, expires_at)
      values (${randomUUID()}, ${measure}, now() - interval '1 day', ${randomUUID()}, 1, 1, 1,
        now() + ${minutes}::float8 * interval '1 minute')`.execute(database);
  expect(await maintain(database)).toMatchObject({ removedWindows: 1 });
  const left = await database.selectFrom('limit_windows').select('measure').execute();
  expect(left).toEqual([{ measure: 'read' }]);
  await database.destroy();
});
