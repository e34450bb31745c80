// From a started execution to its end, through the api, the outbox, Restate and the orchestrator.
import { dispatchKey } from '@berth/durable';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../../tests/harness/client.ts';
import { isFull } from '../../../tests/harness/size.ts';
import { until } from '../../../tests/harness/until.ts';
import { waitingWork } from '../src/dispatch/waiting-work.ts';
import { unfinishedExecutions } from '../src/executions/unfinished-executions.ts';
import { strayInstances } from '../src/reconcile/stray-instances.ts';
import { type ControlPlane, type EndTask, startControlPlane, tell } from './control-plane.ts';
import { JobRecords } from './job-records.ts';
import { OrchestratorProcess } from './orchestrator-process.ts';
import { Receiver } from './receiver.ts';

let controlPlane: ControlPlane;
let records: JobRecords;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  records = new JobRecords(controlPlane.api.database);
  // An execution that has more tasks at once than its parallelism allows fails its transaction, and the test with it.
  await sql`alter table executions add check (active <= parallelism)`.execute(controlPlane.api.database);
  await controlPlane.addRunner({ maxTasks: 50 });
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane?.[Symbol.asyncDispose]());

const succeed: EndTask = () => ({ reason: 'exited', exitCode: 0 });

async function createJob(name: string, runtime: object = {}, client: Client = controlPlane.api.admin): Promise<string> {
  const spec = { runtime: { image: 'example/job:1', memory: 128, ...runtime } };
  const answer = await client.post('/jobs', { metadata: { name }, spec });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return controlPlane.uidOf(name);
}

/** Starts an execution and returns the id of its row. */
async function start(
  job: string,
  taskCount: number,
  { api } = controlPlane,
  client: Client = api.admin,
): Promise<string> {
  const tasks = Array.from({ length: taskCount }, (_, index) => ({ index }));
  const answer = await client.post(`/jobs/${job}/executions`, { tasks });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  await tell(api, 'dispatch', dispatchKey);
  return new JobRecords(api.database).idOf(answer.body.executionId);
}

const becomes = (id: string, status: string) => until(async () => (await records.execution(id)).status === status);

/** Everything is given back: no attempt is left on a runner, and the reservations are right. */
async function expectIdle(plane: ControlPlane = controlPlane): Promise<void> {
  const own = new JobRecords(plane.api.database);
  const runners = plane.playRunners();
  await until(async () => (await own.unended()) === 0);
  await runners.stop();
  expect(await plane.wrongReservations()).toEqual([]);
  expect(await own.wrongExecutions()).toEqual([]);
}

test('an execution of 20 tasks at parallelism 4 never has more than 4 at once, and succeeds', async () => {
  const uid = await createJob('twenty', { maxConcurrentTasks: 4, envs: [{ name: 'MODE', value: 'fast' }] });
  const id = await start('twenty', 20);
  const first = await controlPlane.running(uid, 4);
  expect(first[0]?.spec).toMatchObject({ mode: 'task', image: 'example/job:1', memoryMb: 128, timeoutSeconds: 900 });
  expect(first[0]?.spec.env).toContainEqual({ name: 'TASK_INDEX', value: '0' });
  expect(await records.execution(id)).toMatchObject({ status: 'pending', active: 4 });
  const runners = controlPlane.playRunners(succeed);
  await becomes(id, 'succeeded');
  await runners.stop();
  const execution = await records.execution(id);
  expect(execution).toMatchObject({ active: 0, succeeded: 20, failed: 0, cancelled: 0, retried: 0 });
  expect(execution.completed_at).not.toBeNull();
  for (const task of await records.tasks(id)) {
    expect(task).toMatchObject({ status: 'succeeded', attempt: 1, exit_code: 0 });
    const { scheduled_at, started_at, completed_at } = task;
    const times = [scheduled_at, started_at, completed_at].map((time) => time?.getTime() ?? 0);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
  }
  expect(await records.statuses(id)).toEqual(['queued', 'pending', 'running', 'succeeded']);
  await expectIdle();
});

test('an execution that a trigger with a callback started posts its result when it ends', async () => {
  await using receiver = await Receiver.start();
  const triggers = [
    { id: 'nightly', type: 'cron', configuration: { schedule: '0 3 * * *', callbackUrl: receiver.url } },
  ];
  const runtime = { image: 'example/job:1', memory: 128 };
  await controlPlane.api.admin.post('/jobs', { metadata: { name: 'calling' }, spec: { runtime, triggers } });
  const id = await start('calling', 2);
  await sql`update executions set trigger = jsonb_build_object('id', 'nightly', 'type', 'cron', 'callback',
      jsonb_build_object('url', ${receiver.url}::text, 'secret', job.spec #> '{triggers,0,configuration,callbackSecret}'))
    from (select spec from resources where name = 'calling') as job
    where id = ${id}`.execute(controlPlane.api.database);
  const runners = controlPlane.playRunners(succeed);
  await until(() => receiver.calls.length > 0);
  await runners.stop();
  const { response_body } = JSON.parse(receiver.calls[0]?.body ?? '');
  expect(JSON.parse(response_body)).toMatchObject({ job: 'calling', status: 'succeeded', stats: { success: 2 } });
  expect(receiver.calls).toHaveLength(1);
  await expectIdle();
});

test('an exit code is repeated as often as the job allows, then the task has failed with it', async () => {
  await createJob('retrying', { maxRetries: 2 });
  const runners = controlPlane.playRunners(({ taskIndex, attempt }) => ({
    reason: 'exited',
    exitCode: taskIndex === 0 && attempt === 3 ? 0 : 3,
  }));
  const id = await start('retrying', 2);
  await becomes(id, 'failed');
  await runners.stop();
  expect(await records.execution(id)).toMatchObject({ succeeded: 1, failed: 1, retried: 4 });
  expect(await records.tasks(id)).toMatchObject([
    { status: 'succeeded', attempt: 3, failures: 2, losses: 0 },
    { status: 'failed', attempt: 3, failures: 3, losses: 0, reason: 'exited', exit_code: 3 },
  ]);
  await expectIdle();
});

test('an execution of which tasks failed by their timeout only is a timeout', async () => {
  await createJob('slow');
  const runners = controlPlane.playRunners(({ taskIndex }) =>
    taskIndex === 0 ? { reason: 'timeout', exitCode: 143 } : { reason: 'exited', exitCode: 0 },
  );
  const id = await start('slow', 3);
  await becomes(id, 'timeout');
  await runners.stop();
  expect((await records.tasks(id))[0]).toMatchObject({ status: 'failed', reason: 'timeout', exit_code: 143 });
  await expectIdle();
});

test('tasks of a lost runner run again elsewhere, without counting as a retry', async () => {
  const uid = await createJob('unlucky');
  const id = await start('unlucky', 2);
  for (const attempt of await controlPlane.running(uid, 2))
    await controlPlane.report(attempt.id, { state: 'lost', message: 'Its machine has not been heard from.' });
  await until(async () => (await records.tasks(id)).every(({ losses }) => losses === 1));
  expect(await records.tasks(id)).toMatchObject([{ reason: 'lost' }, { reason: 'lost' }]);
  const runners = controlPlane.playRunners(succeed);
  await becomes(id, 'succeeded');
  await runners.stop();
  expect(await records.execution(id)).toMatchObject({ succeeded: 2, retried: 0 });
  expect(await records.tasks(id)).toMatchObject([
    { attempt: 2, losses: 1, failures: 0 },
    { attempt: 2, losses: 1, failures: 0 },
  ]);
  await expectIdle();
});

test('a cancelled execution starts nothing more; running tasks end, and it is cancelled then', async () => {
  const uid = await createJob('stopped', { maxConcurrentTasks: 2 });
  let mayEnd = false;
  const runners = controlPlane.playRunners(() => (mayEnd ? { reason: 'exited', exitCode: 0 } : undefined));
  const id = await start('stopped', 6);
  await until(async () => (await records.tasks(id)).filter(({ status }) => status === 'running').length === 2);
  const { external_id } = await records.execution(id);
  expect((await controlPlane.api.admin.delete(`/jobs/stopped/executions/${external_id}`)).status).toBe(200);
  expect(await records.execution(id)).toMatchObject({ status: 'cancelling', active: 2 });
  expect((await controlPlane.running(uid, 2)).every(({ state }) => state === 'ready')).toBe(true);
  mayEnd = true;
  await becomes(id, 'cancelled');
  await runners.stop();
  expect(await records.execution(id)).toMatchObject({ active: 0, succeeded: 2, cancelled: 4, failed: 0 });
  await expectIdle();
});

test('tasks of a cancelled execution that have not started are removed from their runner', async () => {
  const uid = await createJob('unstarted', { maxConcurrentTasks: 3 });
  const id = await start('unstarted', 5);
  const placed = await controlPlane.running(uid, 3);
  const { external_id } = await records.execution(id);
  expect((await controlPlane.api.admin.delete(`/jobs/unstarted/executions/${external_id}`)).status).toBe(200);
  await controlPlane.running(uid, 0);
  for (const attempt of placed) await controlPlane.report(attempt.id, { state: 'gone' });
  await becomes(id, 'cancelled');
  expect(await records.execution(id)).toMatchObject({ active: 0, cancelled: 5 });
  await expectIdle();
});

test('the running tasks of a deleted job end by themselves, and its name is free at once', async () => {
  const uid = await createJob('deleted', { maxConcurrentTasks: 1 });
  let mayEnd = false;
  const runners = controlPlane.playRunners(() => (mayEnd ? { reason: 'exited', exitCode: 0 } : undefined));
  const id = await start('deleted', 3);
  await until(async () => (await records.tasks(id)).some(({ status }) => status === 'running'));
  expect((await controlPlane.api.admin.delete('/jobs/deleted')).status).toBe(200);
  await until(async () => (await records.execution(id)).cancelled === 2);
  // Neither the reconcile of the job nor the resync touches the attempt.
  await tell(controlPlane.api, 'reconcile', uid);
  const stray = await strayInstances.page(controlPlane.api.database, undefined, 100);
  expect(stray.map(({ key }) => key)).not.toContain(uid);
  expect(await records.execution(id)).toMatchObject({ status: 'cancelling', active: 1 });
  mayEnd = true;
  await becomes(id, 'cancelled');
  await runners.stop();
  expect(await records.execution(id)).toMatchObject({ succeeded: 1, cancelled: 2 });
  await createJob('deleted');
  await expectIdle();
});

test('the attempts of a deleted workspace are removed', async () => {
  await controlPlane.api.addWorkspace('short-lived');
  const client = controlPlane.api.admin.with({ workspace: 'short-lived' });
  const uid = await createJob('doomed', {}, client);
  await start('doomed', 3, controlPlane, client);
  await controlPlane.running(uid, 3);
  expect((await client.delete('/workspaces/short-lived')).status).toBe(200);
  await controlPlane.running(uid, 0);
  const { database } = controlPlane.api;
  await until(async () => (await database.selectFrom('deleted_workspaces').select('id').execute()).length === 0);
  await expectIdle();
});

test('tasks that no runner has room for wait, say why once, and run when there is room', async () => {
  await createJob('huge', { memory: 60_000 });
  const id = await start('huge', 2);
  const waits = async () =>
    (await records.messages(id)).filter((message) => message.includes('60000 MB free for tasks'));
  await until(async () => (await waits()).length === 1);
  await tell(controlPlane.api, 'dispatch', dispatchKey);
  const runner = await controlPlane.addRunner({ memoryMb: 200_000, maxTasks: 1 });
  const runners = controlPlane.playRunners(succeed);
  await becomes(id, 'succeeded');
  await runners.stop();
  expect(await waits()).toHaveLength(1);
  await expectIdle();
  await sql`update runners set max_tasks = 0 where id = ${runner}`.execute(controlPlane.api.database);
});

test('an execution without a usable image fails with the reason, and does not wait for ever', async () => {
  await createJob('imageless', { image: '' });
  const id = await start('imageless', 3);
  await becomes(id, 'failed');
  expect(await records.tasks(id)).toMatchObject(
    Array.from({ length: 3 }, () => ({
      status: 'failed',
      reason: 'image_missing',
      message: 'No image: set spec.runtime.image.',
      attempt: 0,
    })),
  );
  await expectIdle();
});

test('Restate loses everything in the middle, and every task ends', async () => {
  await createJob('wiped', { maxConcurrentTasks: 5 });
  const runners = controlPlane.playRunners(succeed);
  const id = await start('wiped', 20);
  await until(async () => (await records.execution(id)).succeeded >= 5);
  await controlPlane.restate.kill();
  await controlPlane.restate.wipe();
  await sql`truncate outbox`.execute(controlPlane.api.database);
  await controlPlane.restate.start();
  await becomes(id, 'succeeded');
  await runners.stop();
  expect(await records.execution(id)).toMatchObject({ succeeded: 20, active: 0 });
  await expectIdle();
  for (const source of [unfinishedExecutions, waitingWork])
    expect(await source.page(controlPlane.api.database, undefined, 100)).toEqual([]);
});

// Full size only: tests/chaos/jobs.test.ts kills the orchestrator in the small size and compares every attempt.
test.runIf(isFull)(
  'the orchestrator is killed again and again, and every task ends once',
  async () => {
    await using plane = await startControlPlane();
    const own = new JobRecords(plane.api.database);
    await plane.addRunner({ maxTasks: 50 });
    const spec = { runtime: { image: 'example/job:1', memory: 128, maxConcurrentTasks: 5, maxRetries: 1 } };
    await plane.api.admin.post('/jobs', { metadata: { name: 'killed' }, spec });
    using orchestrator = await OrchestratorProcess.start(plane);
    const runners = plane.playRunners(({ taskIndex, attempt }) => ({
      reason: 'exited',
      exitCode: taskIndex % 3 === 0 && attempt === 1 ? 1 : 0,
    }));
    const id = await start('killed', 30, plane);
    for (const ended of [5, 15]) {
      await until(async () => (await own.execution(id)).succeeded >= ended);
      await orchestrator.kill();
      await orchestrator.start();
    }
    await until(async () => (await own.execution(id)).status === 'succeeded');
    await runners.stop();
    expect(await own.execution(id)).toMatchObject({ succeeded: 30, failed: 0, retried: 10 });
    const attempts = (await own.tasks(id)).map(({ attempt }) => attempt);
    expect(attempts).toEqual(attempts.map((_, index) => (index % 3 === 0 ? 2 : 1)));
    await expectIdle(plane);
  },
  240_000,
);

test('two workspaces share the memory for tasks, and a third execution waits for the account’s limit', async () => {
  await using plane = await startControlPlane({ config: { tiers: { tier_9: { job_parallel_executions: 2 } } } });
  const own = new JobRecords(plane.api.database);
  // 80 % of its memory has room for ten tasks.
  await plane.addRunner({ memoryMb: 1_600, maxTasks: 50 });
  await plane.startOrchestrator();
  await plane.api.addWorkspace('other');
  const other = plane.api.admin.with({ workspace: 'other' });
  const spec = { runtime: { image: 'example/job:1', memory: 128, maxConcurrentTasks: 40 } };
  for (const client of [plane.api.admin, other]) await client.post('/jobs', { metadata: { name: 'sharing' }, spec });
  const activeOf = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await own.execution(id)).active));
  // More tasks than end before the last comparison, so that tasks of both wait for memory all the time.
  const first = await start('sharing', 20, plane);
  await until(async () => (await activeOf(first))[0] === 10);
  const second = await start('sharing', 20, plane, other);
  const endOne = async (id: string): Promise<void> => {
    const [attempt] = await own.activeAttempts(id);
    await plane.report(attempt ?? '', { state: 'ended', result: { reason: 'exited', exitCode: 0 } });
  };
  for (let count = 1; count <= 5; count += 1) {
    await endOne(first);
    await until(async () => (await activeOf(first, second)).join() === `${10 - count},${count}`);
  }
  const third = await start('sharing', 1, plane);
  await until(async () =>
    (await own.messages(third)).some((message) => message.includes('2 for job_parallel_executions')),
  );
  expect(await own.execution(third)).toMatchObject({ status: 'queued', active: 0 });
  // From here on each gets the memory again that it gives back. A run of the dispatch between the end of a task and its count may
  // give it to the other one, which then gives it back with its own next task.
  for (const id of [first, second, first]) {
    const { succeeded } = await own.execution(id);
    await endOne(id);
    await until(async () => {
      const [ofFirst = 0, ofSecond = 0] = await activeOf(first, second);
      const isCounted = (await own.execution(id)).succeeded > succeeded;
      return isCounted && ofFirst + ofSecond === 10 && Math.abs(ofFirst - ofSecond) <= 2;
    });
  }
  const runners = plane.playRunners(succeed);
  for (const id of [first, second, third]) await until(async () => (await own.execution(id)).status === 'succeeded');
  await runners.stop();
  await expectIdle(plane);
}, 240_000);
