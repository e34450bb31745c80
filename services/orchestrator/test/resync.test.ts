// Unfinished work that a resync finds after Restate has lost its data, and finished work that it ignores.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { unfinishedDeployments } from '../src/deployments/unfinished-deployments.ts';
import { runnersWithPools } from '../src/pools/runners-with-pools.ts';
import { strayInstances } from '../src/reconcile/stray-instances.ts';
import { dueSandboxes } from '../src/sandboxes/due-sandboxes.ts';
import { type ControlPlane, startControlPlane, testScaling } from './control-plane.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.addRunner({ memoryMb: 200_000 });
  await controlPlane.startOrchestrator();
  const runners = controlPlane.playRunners();
  for (const name of ['still', 'short', 'wide', 'failing', 'orphaned']) {
    await controlPlane.deploy(name, name === 'wide' ? { minScale: 2 } : {});
    await until(async () => (await controlPlane.statusOf(name)) === 'DEPLOYED');
  }
  await controlPlane.running(await controlPlane.uidOf('wide'), 2);
  await until(async () => (await found()).length === 0);
  await runners.stop();
  // From here on no orchestrator runs.
  await controlPlane.orchestrator?.stop();
  controlPlane.orchestrator = undefined;
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

async function found(pageSize = 100): Promise<string[]> {
  const names: string[] = [];
  for (const source of [unfinishedDeployments(testScaling), strayInstances, dueSandboxes, runnersWithPools]) {
    for (let after: string | undefined; ; ) {
      const page = await source.page(controlPlane.api.database, after, pageSize);
      names.push(...page.map(({ key }) => key));
      after = page.at(-1)?.key;
      if (page.length < pageSize) break;
    }
  }
  return names;
}

test('resources in their desired state are not found; each kind of trouble is', async () => {
  const { database } = controlPlane.api;
  const uid = Object.fromEntries(
    await Promise.all(
      ['short', 'wide', 'failing', 'orphaned'].map(async (name) => [name, await controlPlane.uidOf(name)] as const),
    ),
  );
  expect(await found()).toEqual([]);
  await sql`update instances set state = 'lost', desired = 'gone', ended_at = now() where resource_uid = ${uid.short}`.execute(
    database,
  );
  await sql`update instances set state = 'lost', desired = 'gone', ended_at = now()
    where id = (select id from instances where resource_uid = ${uid.wide} limit 1)`.execute(database);
  await sql`update instances set state = 'failed', failed_at = now() where resource_uid = ${uid.failing}`.execute(
    database,
  );
  await sql`delete from resources where uid = ${uid.orphaned}`.execute(database);
  const beginning = await controlPlane.deploy('beginning');
  const expected = [uid.short, uid.wide, uid.failing, uid.orphaned, beginning];
  expect(new Set(await found())).toEqual(new Set(expected));
  expect(new Set(await found(1))).toEqual(new Set(expected));
});

test('an unused instance is found when its idle time has passed, a missing instance at once', async () => {
  const { database } = controlPlane.api;
  const uid = await controlPlane.uidOf('still');
  await sql`update revisions set spec = jsonb_set(spec, '{runtime,minScale}', '0') where resource_uid = ${uid}`.execute(
    database,
  );
  await sql`update instances set ready_at = clock_timestamp() where resource_uid = ${uid}`.execute(database);
  expect(await found()).not.toContain(uid);
  await sql`update instances set ready_at = clock_timestamp() - make_interval(secs => ${testScaling.idleSeconds})
    where resource_uid = ${uid}`.execute(database);
  expect(await found()).toContain(uid);
  const say = (requests: number) =>
    sql`insert into workload_demand values (${uid}, ${uid}, ${requests}, clock_timestamp() + interval '1 hour')
      on conflict (resource_uid, gateway_id) do update set requests = excluded.requests`.execute(database);
  await say(10);
  expect(await found()).not.toContain(uid);
  await say(11);
  expect(await found()).toContain(uid);
  await sql`delete from workload_demand`.execute(database);
  await sql`update revisions set spec = jsonb_set(spec, '{runtime,minScale}', '1') where resource_uid = ${uid}`.execute(
    database,
  );
});

test('sandboxes: on their way, soon over, over, unused, away, or left behind are found; those that are well are not', async () => {
  const { database } = controlPlane.api;
  const runners = controlPlane.playRunners();
  await controlPlane.startOrchestrator();
  const names = ['calm', 'long', 'soon', 'over', 'unused', 'ended'];
  for (const name of names) {
    await controlPlane.sandbox(name, name === 'long' ? { runtime: { ttl: '1h' } } : {});
    await until(async () => (await controlPlane.statusOf(name, 'sandboxes')) === 'DEPLOYED');
  }
  await runners.stop();
  await controlPlane.orchestrator?.stop();
  controlPlane.orchestrator = undefined;
  const uid = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await controlPlane.uidOf(name)] as const)),
  );
  const ofSandboxes = async () => (await found()).filter((key) => Object.values(uid).includes(key));
  expect(await ofSandboxes()).toEqual([]);
  const expireIn = (minutes: number, which = '') =>
    sql`update resources set expires_at = clock_timestamp() + ${minutes} * interval '1 minute' where uid = ${which}`.execute(
      database,
    );
  await expireIn(5, uid.soon);
  await expireIn(-5, uid.over);
  await sql`update instances set is_expired = true where resource_uid = ${uid.unused}`.execute(database);
  await sql`update resources set terminated_at = now(), status = 'TERMINATED' where uid = ${uid.ended}`.execute(
    database,
  );
  expect(new Set(await ofSandboxes())).toEqual(new Set([uid.soon, uid.over, uid.unused, uid.ended]));
  await sql`update runners set status = 'lost', last_seen_at = now()`.execute(database);
  expect(await ofSandboxes()).toContain(uid.calm);
  await sql`update runners set status = 'up'`.execute(database);
  expect(await ofSandboxes()).not.toContain(uid.calm);
  await sql`delete from instances where resource_uid = any(${Object.values(uid)}::uuid[])`.execute(database);
  await sql`delete from resources where uid = any(${Object.values(uid)}::uuid[])`.execute(database);
});

test('runners that keep something ready, or should, are found', async () => {
  const { database } = controlPlane.api;
  const [runner] = (await sql<{ id: string }>`select id from runners`.execute(database)).rows;
  expect(await found()).not.toContain(runner?.id);
  await sql`update runners set warm = '[{"image": "a", "count": 1}]'`.execute(database);
  expect(await found()).toContain(runner?.id);
  await sql`update runners set warm = '[]', warm_lately = 1`.execute(database);
  expect(await found()).toContain(runner?.id);
  await sql`update runners set warm_lately = 0`.execute(database);
});

test('an orchestrator that starts finds all of it and mends it', async () => {
  await sql`truncate outbox`.execute(controlPlane.api.database);
  await controlPlane.restate.kill();
  await controlPlane.restate.wipe();
  await controlPlane.restate.start();
  const runners = controlPlane.playRunners();
  await controlPlane.startOrchestrator();
  await until(async () => (await found()).length === 0);
  for (const name of ['still', 'short', 'wide', 'failing', 'beginning']) {
    expect([name, await controlPlane.statusOf(name)]).toEqual([name, 'DEPLOYED']);
  }
  await runners.stop();
});
