// Demand that gateways report for a workload, and the number of instances that results.
import { randomUUID } from 'node:crypto';
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { reportDemand } from '../../gateway/test/report-demand.ts';
import { type ControlPlane, startControlPlane, testScaling } from './control-plane.ts';

let controlPlane: ControlPlane;
let runners: { stop(): Promise<void> };
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.addRunner({ memoryMb: 200_000 });
  await controlPlane.startOrchestrator();
  runners = controlPlane.playRunners();
});
afterAll(async () => {
  await runners?.stop();
  await controlPlane?.[Symbol.asyncDispose]();
});

const say = (gatewayId: string, uid: string, requests: number, lifeSeconds = 60): Promise<void> =>
  reportDemand(controlPlane.api.database, gatewayId, uid, requests, lifeSeconds);

/** A trigger counts at every write, so that even a momentary overshoot is recorded. */
async function recordMostRunning(database: Database): Promise<(uid: string) => Promise<number>> {
  await sql`create table most_running (resource_uid uuid primary key, most int not null)`.execute(database);
  await sql`create function record_most_running() returns trigger language plpgsql as $$
    begin
      insert into most_running
        select new.resource_uid, count(*) from instances
        where resource_uid = new.resource_uid and desired = 'running' and ended_at is null
      on conflict (resource_uid) do update set most = greatest(most_running.most, excluded.most);
      return null;
    end $$`.execute(database);
  await sql`create trigger record_most_running after insert or update on instances for each row
    when (new.resource_uid is not null) execute function record_most_running()`.execute(database);
  return async (uid) => {
    const { rows } = await sql<{ most: number }>`select most from most_running where resource_uid = ${uid}`.execute(
      database,
    );
    return rows[0]?.most ?? 0;
  };
}

const demandOf = async (uid: string): Promise<unknown[]> =>
  controlPlane.api.database.selectFrom('workload_demand').selectAll().where('resource_uid', '=', uid).execute();

test('a workload with minScale 0 comes up once, is DEPLOYED, and has no instance after the idle time', async () => {
  const uid = await controlPlane.deploy('sleepy', { minScale: 0 });
  const [instance] = await controlPlane.running(uid);
  await controlPlane.running(uid, 0);
  const { ready_at } = await controlPlane.api.database
    .selectFrom('instances')
    .select('ready_at')
    .where('id', '=', instance?.id ?? '')
    .executeTakeFirstOrThrow();
  expect(Date.now() - (ready_at?.getTime() ?? Number.POSITIVE_INFINITY)).toBeGreaterThan(
    testScaling.idleSeconds * 1_000 - 500,
  );
  expect(await controlPlane.statusOf('sleepy')).toBe('DEPLOYED');
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('gateways add up, maxScale caps, and a gateway that died is forgotten when its word expires', async () => {
  const uid = await controlPlane.deploy('busy', { minScale: 1, maxScale: 3 });
  await controlPlane.running(uid);
  const [first, second] = [randomUUID(), randomUUID()];
  await say(first, uid, 8);
  await say(second, uid, 8);
  await controlPlane.running(uid, 2);
  await say(first, uid, 200);
  await controlPlane.running(uid, 3);
  await say(second, uid, 8, 3);
  await say(first, uid, 0);
  // The second gateway reports nothing more.
  await controlPlane.running(uid, 1);
  expect(await controlPlane.statusOf('busy')).toBe('DEPLOYED');
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('no more than the operator allows where maxScale is not set', async () => {
  const maxRunning = await recordMostRunning(controlPlane.api.database);
  const uid = await controlPlane.deploy('wide', { minScale: 0 });
  await controlPlane.running(uid);
  await say(randomUUID(), uid, 10_000, 3);
  await until(async () => (await maxRunning(uid)) >= testScaling.mostInstances);
  await controlPlane.running(uid, 0);
  expect(await maxRunning(uid)).toBe(testScaling.mostInstances);
});

test('a deleted workload leaves no demand behind', async () => {
  const uid = await controlPlane.deploy('going');
  await controlPlane.running(uid);
  await say(randomUUID(), uid, 5);
  expect(await demandOf(uid)).toHaveLength(1);
  await controlPlane.api.admin.delete('/agents/going');
  await until(async () => (await controlPlane.statusOf('going')) === undefined);
  expect(await demandOf(uid)).toEqual([]);
});

test('an instance that is leaving must be gone when its workload is deleted', async () => {
  await runners.stop();
  const uid = await controlPlane.deploy('draining', { minScale: 0 });
  const [instance] = await controlPlane.running(uid);
  await controlPlane.report(instance?.id ?? '', { state: 'ready' });
  await controlPlane.running(uid, 0);
  const desired = async () => (await controlPlane.instances(uid)).map((each) => each.desired);
  expect(await desired()).toEqual(['leaving']);
  await controlPlane.api.admin.delete('/agents/draining');
  await until(async () => (await desired())[0] === 'gone');
  runners = controlPlane.playRunners();
  await until(async () => (await controlPlane.statusOf('draining')) === undefined);
});
