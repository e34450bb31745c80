// Runs of `dispatch` that a test calls itself, without Restate: concurrently, and with more than one run can take.
import { randomUUID } from 'node:crypto';
import { connect, type Database, uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { dispatchTasks } from '../src/dispatch/dispatch-tasks.ts';
import { settleExecution } from '../src/executions/settle-execution.ts';
import { JobRecords } from './job-records.ts';
import { testDependencies } from './test-dependencies.ts';

const accountId = randomUUID();
let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let records: JobRecords;
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 20 });
  records = new JobRecords(database);
  await sql`insert into accounts (id, display_name, owner_email, plan, tier)
    values (${accountId}, 'A', 'a@example.com', 'p', 't')`.execute(database);
});
afterAll(async () => {
  await database?.destroy();
  await home?.drop();
});
beforeEach(async () => {
  await sql`truncate instances, runners, tasks, executions, resources, workspaces, outbox cascade`.execute(database);
});

const dispatch = () => dispatchTasks(testDependencies(database));

async function addWorkspace(): Promise<string> {
  const id = randomUUID();
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${id}, ${accountId}, ${`w-${id.slice(0, 8)}`}, 'ready', 'x', 'x')`.execute(database);
  return id;
}

async function addRunner({ memoryMb = 1_000_000, maxTasks = 1_000 } = {}): Promise<string> {
  const id = randomUUID();
  await sql`insert into runners (id, name, region, status, isolation, memory_mb, max_tasks)
    values (${id}, ${id}, 'local', 'up', '{runc}', ${memoryMb}, ${maxTasks})`.execute(database);
  return id;
}

interface ExecutionWish {
  readonly tasks?: number;
  readonly parallelism?: number;
  readonly executions?: number;
  readonly job?: object;
  readonly revision?: string;
}

/** Adds executions of one new job, and returns their ids. */
async function addExecutions(workspaceId: string, wish: ExecutionWish = {}): Promise<string[]> {
  const { tasks = 1, parallelism = 1_000, executions = 1, job = { runtime: { image: 'example/job:1' } } } = wish;
  const jobUid = uuidv7();
  await sql`insert into resources (uid, workspace_id, kind, name, spec, created_by, updated_by, search)
    values (${jobUid}, ${workspaceId}, 'job', ${jobUid}, '{}', 'x', 'x', 'x')`.execute(database);
  const ids = Array.from({ length: executions }, () => uuidv7());
  const spec = JSON.stringify({ parallelism, timeoutSeconds: 60, maxRetries: 0, job, revision: wish.revision });
  await sql`
    insert into executions (id, workspace_id, job_uid, external_id, status, spec, task_count, parallelism, memory_mb, created_by)
    select id, ${workspaceId}, ${jobUid}, id::text, 'queued', ${spec}::jsonb, ${tasks}::int, ${parallelism}::int, 128, 'x'
    from unnest(${ids}::uuid[]) as id`.execute(database);
  await sql`
    insert into tasks (execution_id, index, input)
    select id, n - 1, '{}' from unnest(${ids}::uuid[]) as id cross join generate_series(1, ${tasks}::int) as n`.execute(
    database,
  );
  return ids;
}

interface Attempt {
  readonly workspaceId: string;
  readonly runnerId: string;
  readonly reservedMb: number;
  readonly revision: string;
  readonly spec: object;
}

async function attempts(): Promise<Attempt[]> {
  const { rows } = await sql<Attempt>`
    select workspace_id as "workspaceId", runner_id as "runnerId", reserved_mb as "reservedMb", revision, spec
    from instances`.execute(database);
  return rows;
}

test('a run places at most 200 tasks and asks for the next one at once', async () => {
  await addRunner();
  await addExecutions(await addWorkspace(), { tasks: 250 });
  expect(await dispatch()).toMatchObject({ hasMore: true });
  expect(await attempts()).toHaveLength(200);
  expect(await dispatch()).toEqual({ toSettle: [], hasMore: false, timers: [] });
  expect(await attempts()).toHaveLength(250);
});

test('concurrent runs exceed neither the parallelism nor the tasks nor the memory of a runner, and place no task twice', async () => {
  const few = await addRunner({ maxTasks: 7 });
  const small = await addRunner({ memoryMb: 1_600 });
  const [workspace, other] = [await addWorkspace(), await addWorkspace()];
  const [narrow = ''] = await addExecutions(workspace, { tasks: 50, parallelism: 3 });
  await addExecutions(other, { tasks: 50 });
  await Promise.all(Array.from({ length: 8 }, dispatch));
  const placed = await attempts();
  expect(placed.filter(({ runnerId }) => runnerId === few)).toHaveLength(7);
  expect(placed.filter(({ runnerId }) => runnerId === small)).toHaveLength(10);
  expect((await records.execution(narrow)).active).toBe(3);
  expect(await records.wrongExecutions()).toEqual([]);
  const { rows } = await sql<{ id: string; reservedMb: number }>`
    select id, reserved_mb as "reservedMb" from runners`.execute(database);
  for (const { id, reservedMb } of rows) {
    const own = placed.filter(({ runnerId }) => runnerId === id);
    expect(own.reduce((sum, attempt) => sum + attempt.reservedMb, 0)).toBe(reservedMb);
  }
});

test('a workspace with thousands of executions does not hide the execution of another', async () => {
  await addRunner({ maxTasks: 20 });
  const [crowded, other] = [await addWorkspace(), await addWorkspace()];
  await addExecutions(crowded, { executions: 5_000 });
  await addExecutions(other, { tasks: 10 });
  await dispatch();
  const placed = await attempts();
  expect(placed.filter(({ workspaceId }) => workspaceId === other)).toHaveLength(10);
  expect(placed).toHaveLength(20);
});

test('an execution that cannot be read does not stop the others', async () => {
  await addRunner();
  const [broken, sound] = [await addWorkspace(), await addWorkspace()];
  const [unreadable = ''] = await addExecutions(broken);
  await sql`update executions set spec = '{}' where id = ${unreadable}`.execute(database);
  await addExecutions(sound, { tasks: 3 });
  const { timers } = await dispatch();
  expect((await attempts()).map(({ workspaceId }) => workspaceId)).toEqual([sound, sound, sound]);
  expect(timers).toHaveLength(1);
});

test('what an execution cannot use goes to the others in the same run', async () => {
  await addRunner({ maxTasks: 10 });
  const [elsewhere, here] = [await addWorkspace(), await addWorkspace()];
  await addExecutions(elsewhere, { tasks: 10, job: { region: 'moon', runtime: { image: 'example/job:1' } } });
  await addExecutions(here, { tasks: 10 });
  await dispatch();
  expect((await attempts()).map(({ workspaceId }) => workspaceId)).toEqual(Array.from({ length: 10 }, () => here));
});

test('attempts have the revision and the volumes that their execution copied', async () => {
  await addRunner();
  const volume = { name: 'scratch', mountPath: '/scratch', sizeMb: 64, type: 'ephemeral' };
  const job = { runtime: { image: 'example/job:1' }, volumes: [volume] };
  await addExecutions(await addWorkspace(), { job, revision: 'rev-1' });
  await dispatch();
  const volumes = [{ mountPath: '/scratch', sizeMb: 64, readOnly: false }];
  expect(await attempts()).toMatchObject([{ revision: 'rev-1', spec: { volumes } }]);
});

test('tasks whose volumes exceed their memory fail with what to do, instead of starting', async () => {
  await addRunner();
  const volume = { name: 'scratch', mountPath: '/scratch', sizeMb: 129, type: 'ephemeral' };
  const job = { runtime: { image: 'example/job:1' }, volumes: [volume] };
  const [id = ''] = await addExecutions(await addWorkspace(), { job, tasks: 2 });
  expect(await dispatch()).toMatchObject({ toSettle: [id] });
  expect(await attempts()).toEqual([]);
  const failed = { status: 'failed', reason: 'start_failed', message: expect.stringContaining('129 MB together') };
  expect(await records.tasks(id)).toMatchObject([failed, failed]);
});

test('a task that waits for its retry is not placed before its time, and a timer is set for it', async () => {
  await addRunner();
  const [id = ''] = await addExecutions(await addWorkspace(), { tasks: 2 });
  await sql`update tasks set not_before = clock_timestamp() + interval '20 seconds' where execution_id = ${id} and index = 0`.execute(
    database,
  );
  const { timers } = await dispatch();
  expect((await records.tasks(id)).map(({ status }) => status)).toEqual(['pending', 'reconciling']);
  expect(timers).toHaveLength(1);
  expect(timers[0]?.delayMs).toBeGreaterThan(15_000);
});

test('more ended attempts than one run settles are settled by the next, each once, also by concurrent runs', async () => {
  await addRunner({ maxTasks: 2_000 });
  const [id = ''] = await addExecutions(await addWorkspace(), { tasks: 1_500, parallelism: 2_000 });
  const limits = { limits: { instances: 5_000, job_concurrent_tasks: 5_000 }, tiers: {} };
  while ((await dispatchTasks(testDependencies(database, { limits }))).hasMore);
  expect(await attempts()).toHaveLength(1_500);
  await sql`update instances set state = 'ended', result = '{"reason": "exited", "exitCode": 0}', reserved_mb = 0,
    finished_at = clock_timestamp(), desired = 'gone'`.execute(database);
  const runs = await Promise.all(Array.from({ length: 3 }, () => settleExecution({ database }, id)));
  expect(runs.map(({ settled }) => settled).toSorted((left, right) => left - right)).toEqual([0, 500, 1_000]);
  expect(runs.filter(({ hasMore }) => hasMore)).toHaveLength(1);
  expect(await records.execution(id)).toMatchObject({ status: 'succeeded', active: 0, succeeded: 1_500 });
  expect(await records.wrongExecutions()).toEqual([]);
});
