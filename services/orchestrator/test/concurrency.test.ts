// Guarantees when Restate lets two runs of a key overlap, when many resources compete for memory, and when Restate
// loses all its data.
import { randomUUID } from 'node:crypto';
import { connect } from '@berth/database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import { until } from '../../../tests/harness/until.ts';
import { reconcileResource } from '../src/reconcile/reconcile-resource.ts';
import type { Dependencies } from '../src/run/dependencies.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { testDependencies } from './test-dependencies.ts';

const notified: string[] = [];
const dependenciesOf = (controlPlane: ControlPlane): Dependencies & AsyncDisposable => {
  const database = connect({ url: controlPlane.api.databaseUrl, maxConnections: 12 });
  const dependencies = testDependencies(database, { notifyRunner: (runnerId) => void notified.push(runnerId) });
  return { ...dependencies, [Symbol.asyncDispose]: () => database.destroy() };
};

test('runs of one key at the same moment place once and reserve once', async () => {
  await using controlPlane = await startControlPlane();
  await using dependencies = dependenciesOf(controlPlane);
  const runner = await controlPlane.addRunner();
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const uid = await controlPlane.deploy(name, { minScale: 2 });
    await Promise.all(Array.from({ length: 6 }, () => reconcileResource(dependencies, uid)));
    expect(await controlPlane.instances(uid)).toHaveLength(2);
  }
  expect(await controlPlane.wrongReservations()).toEqual([]);
  expect(notified).toEqual(Array.from({ length: 5 }, () => runner));
});

test('many resources at the same moment never get more memory than the runners have', async () => {
  await using controlPlane = await startControlPlane();
  await using dependencies = dependenciesOf(controlPlane);
  for (let n = 0; n < 3; n += 1) await controlPlane.addRunner({ memoryMb: 4 * 2048 });
  const uids: string[] = [];
  for (let n = 0; n < 20; n += 1) uids.push(await controlPlane.deploy(`agent-${n}`));
  const looks = await Promise.all(uids.map((uid) => reconcileResource(dependencies, uid)));
  const placed = await Promise.all(uids.map((uid) => controlPlane.instances(uid)));
  expect(placed.filter((instances) => instances.length === 1)).toHaveLength(12);
  expect(looks.filter((timers) => timers.length === 1 && (timers[0]?.delayMs ?? 0) >= 5_000)).toHaveLength(8);
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('runs of one sandbox at the same moment start one, and end it once', async () => {
  await using controlPlane = await startControlPlane();
  await using dependencies = dependenciesOf(controlPlane);
  await controlPlane.addRunner();
  const uids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const uid = await controlPlane.sandbox(name, { runtime: { image: 'example/sandbox:1' } });
    await Promise.all(Array.from({ length: 6 }, () => reconcileResource(dependencies, uid)));
    expect(await controlPlane.instances(uid)).toHaveLength(1);
    uids.push(uid);
  }
  await sql`update resources set expires_at = clock_timestamp() where kind = 'sandbox'`.execute(
    controlPlane.api.database,
  );
  await Promise.all(uids.flatMap((uid) => Array.from({ length: 6 }, () => reconcileResource(dependencies, uid))));
  const { rows } = await sql<{ endings: number }>`
    select count(*)::int as endings from resource_events where status = 'TERMINATED' group by resource_uid`.execute(
    controlPlane.api.database,
  );
  expect(rows.map(({ endings }) => endings)).toEqual([1, 1, 1]);
  expect(await wrongCounters(controlPlane.api)).toEqual([]);
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('a resource that is nowhere, and one of another kind, are no work', async () => {
  await using controlPlane = await startControlPlane();
  await using dependencies = dependenciesOf(controlPlane);
  expect(await reconcileResource(dependencies, randomUUID())).toEqual([]);
  await controlPlane.api.admin.post('/policies', { metadata: { name: 'home' }, spec: { type: 'location' } });
  expect(await reconcileResource(dependencies, await controlPlane.uidOf('home'))).toEqual([]);
});

test('Restate wiped in the middle: every deployment, switch and delete ends as it should', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner({ memoryMb: 200_000 });
  await controlPlane.startOrchestrator();
  const names = Array.from({ length: 24 }, (_, index) => `agent-${index}`);
  for (const name of names) await controlPlane.deploy(name);
  for (const name of names) await controlPlane.running(await controlPlane.uidOf(name));
  const runners = controlPlane.playRunners();
  for (const name of names.slice(0, 8)) await controlPlane.api.admin.delete(`/agents/${name}`);
  for (const name of names.slice(8, 16))
    await controlPlane.api.admin.put(`/agents/${name}`, { metadata: { name }, spec: { enabled: false } });
  await controlPlane.restate.kill();
  await controlPlane.restate.wipe();
  await controlPlane.restate.start();
  const end = (index: number) => (index < 8 ? undefined : index < 16 ? 'DEACTIVATED' : 'DEPLOYED');
  for (const [index, name] of names.entries())
    await until(async () => (await controlPlane.statusOf(name)) === end(index));
  await runners.stop();
  expect(await controlPlane.wrongReservations()).toEqual([]);
});
