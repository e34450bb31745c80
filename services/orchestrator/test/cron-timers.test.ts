// Schedules of jobs through the api, the outbox and Restate.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, startControlPlane, tell } from './control-plane.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane?.[Symbol.asyncDispose]());

const scheduled = (name: string, schedule: string, more: object = {}) => ({
  metadata: { name },
  spec: {
    runtime: { image: 'example/job:1', memory: 128 },
    triggers: [{ id: 'tick', type: 'cron', configuration: { schedule } }],
    ...more,
  },
});

async function createJob(name: string): Promise<string> {
  const answer = await controlPlane.api.admin.post('/jobs', scheduled(name, '0 0 1 1 *'));
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return controlPlane.uidOf(name);
}

const setNext = (uid: string, seconds: number) =>
  sql`update cron_triggers set next_at = clock_timestamp() + make_interval(secs => ${seconds}) where resource_uid = ${uid}`.execute(
    controlPlane.api.database,
  );

const executionsOf = async (name: string) => (await controlPlane.api.admin.get(`/jobs/${name}/executions`)).body.data;

test('a timer fires at the time of the tick, and the execution is listed with those of the job', async () => {
  const uid = await createJob('timed');
  await setNext(uid, 2);
  await tell(controlPlane.api, 'cron', uid);
  await until(async () => (await executionsOf('timed')).length === 1);
  const { rows } = await sql<{ late: number; next: Date }>`
    select extract(epoch from executions.created_at - last_at)::float8 as late, next_at as next
    from executions join cron_triggers on resource_uid = job_uid where job_uid = ${uid}`.execute(
    controlPlane.api.database,
  );
  expect(rows[0]?.late).toBeGreaterThanOrEqual(0);
  expect(rows[0]?.next.toISOString()).toMatch(/-01-01T00:00:00\.000Z$/);
});

test('schedules whose timer was lost are found by the search for unfinished work', async () => {
  const uid = await createJob('lost');
  await setNext(uid, -1);
  await controlPlane.orchestrator?.stop();
  await controlPlane.startOrchestrator();
  await until(async () => (await executionsOf('lost')).length === 1);
});
