// Warm pools with real engines: filled when a runner joins, refilled after a claim, never larger than requested, and
// removed when no longer requested. Sandboxes are created through the api.
import { connect } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { createRecentUse } from '../src/pools/recent-use.ts';
import { reconcilePools } from '../src/pools/reconcile-pools.ts';
import { type ControlPlane, startControlPlane, tell } from './control-plane.ts';
import { testDependencies } from './test-dependencies.ts';

const image = 'example/sandbox:1';
let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`update runners set status = 'lost', reserved_mb = 0, warm = '[]', warm_lately = 0`.execute(
    controlPlane.api.database,
  );
  await sql`update instances set ended_at = clock_timestamp(), desired = 'gone' where ended_at is null`.execute(
    controlPlane.api.database,
  );
});

interface Waiting {
  readonly id: string;
  readonly pool: string;
  readonly state: string;
  readonly reserved_mb: number;
  readonly spec: Record<string, unknown>;
}

async function waiting(runnerId: string): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select id, pool, state, reserved_mb, spec from instances
    where runner_id = ${runnerId} and pool is not null and ended_at is null and desired = 'running' order by created_at`.execute(
    controlPlane.api.database,
  );
  return rows;
}
const keeps = (runnerId: string, count: number) => until(async () => (await waiting(runnerId)).length === count);
const wish = async (runnerId: string, warm: object[], lately = 0): Promise<void> => {
  await sql`update runners set warm = ${JSON.stringify(warm)}, warm_lately = ${lately} where id = ${runnerId}`.execute(
    controlPlane.api.database,
  );
  await tell(controlPlane.api, 'pool', runnerId);
};

test('a runner that comes up gets the warm sandboxes of its settings: without a workspace or secrets, with 64 MB reserved each', async () => {
  const runner = await controlPlane.addRunner({ warm: [{ image, count: 4 }] });
  await keeps(runner, 4);
  const [first] = await waiting(runner);
  expect(first).toMatchObject({
    pool: `runc ${image}`,
    reserved_mb: 64,
    spec: { image, isolation: 'runc', memoryMb: 4096, port: 8080, env: [] },
  });
  expect(first?.spec).not.toHaveProperty('resource');
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('a create claims one and the pool is full again; the sandbox is the claimed instance', async () => {
  const runner = await controlPlane.addRunner({ warm: [{ image, count: 3 }] });
  await keeps(runner, 3);
  const runners = controlPlane.playRunners();
  await until(async () => (await waiting(runner)).every(({ state }) => state === 'ready'));
  const before = (await waiting(runner)).map(({ id }) => id);
  const uid = await controlPlane.sandbox('claimed');
  const [instance] = await controlPlane.running(uid);
  expect(before).toContain(instance?.id);
  await until(async () => {
    const now = await waiting(runner);
    return now.length === 3 && !now.some(({ id }) => id === instance?.id);
  });
  expect(await controlPlane.statusOf('claimed', 'sandboxes')).toBe('DEPLOYED');
  expect(await controlPlane.wrongReservations()).toEqual([]);
  await runners.stop();
});

test('ten creates at once against a pool of four: all come up, claimed or cold, and never more wait than wished for', async () => {
  const runner = await controlPlane.addRunner({ warm: [{ image, count: 4 }] });
  await keeps(runner, 4);
  const runners = controlPlane.playRunners();
  await until(async () => (await waiting(runner)).every(({ state }) => state === 'ready'));
  let most = 0;
  const counting = setInterval(() => {
    void waiting(runner).then((now) => {
      most = Math.max(most, now.length);
    });
  }, 5);
  const names = Array.from({ length: 10 }, (_, index) => `many-${index}`);
  await Promise.all(names.map((name) => controlPlane.sandbox(name)));
  for (const name of names) await until(async () => (await controlPlane.statusOf(name, 'sandboxes')) === 'DEPLOYED');
  await keeps(runner, 4);
  clearInterval(counting);
  expect(most).toBe(4);
  expect(await controlPlane.wrongReservations()).toEqual([]);
  await runners.stop();
});

test('wishes that changed: fewer and other ones, the surplus goes and its memory is given back', async () => {
  const runner = await controlPlane.addRunner({ warm: [{ image, count: 5 }] });
  await keeps(runner, 5);
  const runners = controlPlane.playRunners();
  await until(async () => (await waiting(runner)).every(({ state }) => state === 'ready'));
  await wish(runner, [
    { image, count: 2 },
    { image: 'example/other:1', count: 1 },
  ]);
  await until(async () => {
    const pools = (await waiting(runner)).map(({ pool }) => pool);
    return pools.length === 3 && pools.filter((pool) => pool.includes('other')).length === 1;
  });
  await wish(runner, []);
  await keeps(runner, 0);
  await until(async () => {
    const { rows } = await sql`select 1 from runners where id = ${runner} and reserved_mb = 0`.execute(
      controlPlane.api.database,
    );
    return rows.length === 1;
  });
  await runners.stop();
});

test('never more than the machine has room for, and none while it is short of memory or disk', async () => {
  const small = await controlPlane.addRunner({ memoryMb: 3 * 64 + 10, warm: [{ image, count: 8 }] });
  await keeps(small, 3);
  expect(await controlPlane.wrongReservations()).toEqual([]);
  const pressed = await controlPlane.addRunner();
  await sql`update runners set is_pressed = true where id = ${pressed}`.execute(controlPlane.api.database);
  await wish(pressed, [{ image, count: 2 }]);
  await wish(small, []);
  await keeps(small, 0);
  expect(await waiting(pressed)).toEqual([]);
});

test('failed warm sandboxes are not tried in a loop', async () => {
  const runner = await controlPlane.addRunner({ warm: [{ image, count: 3 }] });
  await keeps(runner, 3);
  for (const { id } of await waiting(runner))
    await controlPlane.report(id, { state: 'failed', message: 'No such image.' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await sql<{ made: number }>`
    select count(*)::int as made from instances where runner_id = ${runner}`.execute(controlPlane.api.database);
  expect(rows).toEqual([{ made: 3 }]);
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('images used lately are kept ready too, no more of each than were used, for the workspace that used them', async () => {
  const runner = await controlPlane.addRunner();
  const runners = controlPlane.playRunners();
  for (const name of ['late-1', 'late-2', 'late-3'])
    await controlPlane.sandbox(name, { runtime: { image: 'example/tried:1', memory: 1024 } });
  await controlPlane.sandbox('late-4', { runtime: { image: 'example/once:1' } });
  for (const name of ['late-1', 'late-2', 'late-3', 'late-4'])
    await until(async () => (await controlPlane.statusOf(name, 'sandboxes')) === 'DEPLOYED');
  await wish(runner, [], 2);
  // Other tests used another image within the hour.
  const kept = async () => (await waiting(runner)).map(({ pool }) => pool).filter((pool) => !pool.endsWith(image));
  await until(async () => (await kept()).length === 3);
  const { workspace_id: owner } = await controlPlane.api.database
    .selectFrom('resources')
    .select('workspace_id')
    .where('name', '=', 'late-1')
    .executeTakeFirstOrThrow();
  const own = (used: string) => `runc ${used} ${owner}`;
  expect((await kept()).toSorted()).toEqual([own('example/once:1'), own('example/tried:1'), own('example/tried:1')]);
  await runners.stop();
});

test('runs at the same moment fill once', async () => {
  const database = connect({ url: controlPlane.api.databaseUrl, maxConnections: 12 });
  const dependencies = testDependencies(database);
  const runner = await controlPlane.addRunner();
  await sql`update runners set warm = ${JSON.stringify([{ image, count: 6 }])} where id = ${runner}`.execute(database);
  const recentUse = createRecentUse(database);
  await Promise.all(Array.from({ length: 10 }, () => reconcilePools(dependencies, recentUse, runner)));
  expect(await waiting(runner)).toHaveLength(6);
  expect(await controlPlane.wrongReservations()).toEqual([]);
  await database.destroy();
});

test('Restate wiped and the outbox lost: pools are found and filled again', async () => {
  const runner = await controlPlane.addRunner();
  await controlPlane.restate.kill();
  await controlPlane.restate.wipe();
  await sql`update runners set warm = ${JSON.stringify([{ image, count: 2 }])} where id = ${runner}`.execute(
    controlPlane.api.database,
  );
  await sql`truncate outbox`.execute(controlPlane.api.database);
  await controlPlane.restate.start();
  await keeps(runner, 2);
});
