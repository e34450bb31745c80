// A workspace with few tasks beside a workspace that has filled the machines, counted in rounds and not by the clock: in
// a round every task that runs at its beginning ends, as if all tasks slept for the same time.
import { dispatchKey } from '@berth/durable';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../../tests/harness/client.ts';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, startControlPlane, tell } from './control-plane.ts';
import { JobRecords } from './job-records.ts';

/** Tasks that the only runner has room for: 80 % of its memory. */
const room = 10;
const memoryMb = 128;

let plane: ControlPlane;
let records: JobRecords;
let other: Client;
beforeAll(async () => {
  plane = await startControlPlane();
  records = new JobRecords(plane.api.database);
  await plane.addRunner({ memoryMb: (room * memoryMb) / 0.8, maxTasks: 50 });
  await plane.startOrchestrator();
  await plane.api.addWorkspace('other');
  other = plane.api.admin.with({ workspace: 'other' });
  const spec = { runtime: { image: 'example/job:1', memory: memoryMb, maxConcurrentTasks: 60 } };
  for (const client of [plane.api.admin, other])
    expect((await client.post('/jobs', { metadata: { name: 'sleeping' }, spec })).status).toBe(200);
});
afterAll(() => plane?.[Symbol.asyncDispose]());

async function start(client: Client, taskCount: number): Promise<string> {
  const tasks = Array.from({ length: taskCount }, (_, index) => ({ index }));
  const answer = await client.post('/jobs/sleeping/executions', { tasks });
  await tell(plane.api, 'dispatch', dispatchKey);
  return records.idOf(answer.body.executionId);
}

/** Every end is settled, and every free place that a waiting task can use is taken. */
async function isPlaced(): Promise<boolean> {
  const { rows } = await sql<{ active: number; left: number; unsettled: number }>`
    select coalesce(sum(active), 0)::int as active,
      coalesce(sum(task_count - succeeded - failed - cancelled), 0)::int as left,
      (select count(*)::int from instances where result is not null and settled_at is null) as unsettled
    from executions where completed_at is null`.execute(plane.api.database);
  const { active = 0, left = 0, unsettled = 0 } = rows[0] ?? {};
  return unsettled === 0 && active === Math.min(room, left);
}

/** Rounds until the execution has succeeded; the other executions go on with each. */
async function roundsOf(id: string): Promise<number> {
  for (let rounds = 0; ; rounds += 1) {
    await until(isPlaced);
    if ((await records.execution(id)).status === 'succeeded') return rounds;
    const { rows } = await sql<{ id: string }>`
      select id from instances where execution_id is not null and result is null order by created_at, id`.execute(
      plane.api.database,
    );
    for (const attempt of rows)
      await plane.report(attempt.id, { state: 'ended', result: { reason: 'exited', exitCode: 0 } });
  }
}

/** Attempts of one execution that were placed up to the last of the other. */
async function placedBeforeLastOf(id: string, last: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from instances where execution_id = ${id}
      and created_at <= (select max(created_at) from instances where execution_id = ${last})`.execute(
    plane.api.database,
  );
  return rows[0]?.count ?? 0;
}

test('five tasks of one workspace do not wait for the sixty of another: they end within 3 times the time they take alone', async () => {
  const alone = await roundsOf(await start(other, 5));
  expect(alone).toBe(1);
  const crowd = await start(plane.api.admin, 60);
  await until(isPlaced);
  expect((await records.execution(crowd)).active).toBe(room);
  const few = await start(other, 5);
  expect(await roundsOf(few)).toBeLessThanOrEqual(3 * alone);
  // The tasks that ran before, and at most as many again as the other workspace got.
  expect(await placedBeforeLastOf(crowd, few)).toBeLessThanOrEqual(room + 5);
  expect((await records.execution(crowd)).succeeded).toBeLessThan(60);
  await roundsOf(crowd);
  expect(await records.wrongExecutions()).toEqual([]);
  expect(await plane.wrongReservations()).toEqual([]);
}, 240_000);
