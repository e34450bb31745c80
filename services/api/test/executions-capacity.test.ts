// `allowQueue: false`: an execution starts now or is refused with the reason, and a refusal stores nothing.
import { uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const memoryMb = 1_024;
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { limits: { job_parallel_executions: 2 } } });
  await api.admin.post('/jobs', { metadata: { name: 'now' }, spec: { runtime: { memory: memoryMb } } });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const table of ['executions', 'instances', 'runners'])
    await sql`delete from ${sql.table(table)}`.execute(api.database);
});

interface RunnerRow {
  readonly status?: string;
  readonly memoryMb?: number;
  readonly reservedMb?: number;
  readonly maxTasks?: number;
  readonly isPressed?: boolean;
  readonly isolation?: string[];
}

/** Adds a runner that has room for tasks of 4 000 MB unless told otherwise. */
async function addRunner(row: RunnerRow = {}): Promise<string> {
  const { status = 'up', memoryMb: memory = 5_000, reservedMb = 0, maxTasks = 2, isPressed = false } = row;
  const { isolation = ['runc', 'gvisor'] } = row;
  const id = uuidv7();
  await sql`insert into runners (id, name, region, status, isolation, memory_mb, reserved_mb, max_tasks, is_pressed)
    values (${id}, ${id}, 'local', ${status}, ${isolation}, ${memory}, ${reservedMb}, ${maxTasks}, ${isPressed})`.execute(
    api.database,
  );
  return id;
}

const addAttempt = (runnerId: string, index: number, result?: object) =>
  api.database
    .insertInto('instances')
    .values({
      id: uuidv7(),
      workspace_id: uuidv7(),
      resource_uid: uuidv7(),
      revision: 'rev-1',
      runner_id: runnerId,
      spec: '{}',
      reserved_mb: 0,
      execution_id: uuidv7(),
      task_index: index,
      attempt: 1,
      result: result === undefined ? null : JSON.stringify(result),
    })
    .execute();

const start = (body: object = {}) => api.admin.post('/jobs/now/executions', { allowQueue: false, ...body });
const storedCount = async () => (await api.database.selectFrom('executions').select('id').execute()).length;

test('a runner with room that lacks the isolation of the job does not count', async () => {
  await addRunner({ isolation: ['runc'] });
  expect((await start()).status).toBe(429);
  expect(await storedCount()).toBe(0);
});

test('a runner with room takes it at once', async () => {
  await addRunner();
  expect((await start()).status).toBe(200);
  expect(await storedCount()).toBe(1);
});

test.each<[string, RunnerRow[]]>([
  ['there is no runner', []],
  ['the runner is lost', [{ status: 'lost' }]],
  ['the runner takes no tasks', [{ maxTasks: 0 }]],
  ['the runner is short of memory or disk', [{ isPressed: true }]],
  ['the share of its memory that tasks may fill is full', [{ reservedMb: 4_000 - memoryMb + 1 }]],
])('it is refused with 429 when %s, and nothing is stored', async (_when, rows) => {
  for (const row of rows) await addRunner(row);
  const { status, body } = await start();
  expect([status, body.error]).toEqual([429, 'no_capacity']);
  expect(body.message).toBe(
    `No connected runner has room for a task of ${memoryMb} MB. Nothing was stored; try again later, or leave allowQueue out to queue the execution.`,
  );
  expect(await storedCount()).toBe(0);
  expect((await api.admin.get('/jobs/now/executions')).body.data).toEqual([]);
});

test('the memory of the execution is what counts, up to the last MB of the share', async () => {
  await addRunner({ reservedMb: 4_000 - 512 });
  expect((await start()).status).toBe(429);
  expect((await start({ memory: 512 })).status).toBe(200);
});

test('a runner that runs as many tasks as it may has no room; a task that has ended does not count', async () => {
  const id = await addRunner({ maxTasks: 2 });
  await addAttempt(id, 0);
  await addAttempt(id, 1, { reason: 'exited', exitCode: 0 });
  expect((await start()).status).toBe(200);
  await addAttempt(id, 2);
  expect((await start()).status).toBe(429);
});

test('a task that fits on no runner of the deployment is refused with 400', async () => {
  await addRunner({ memoryMb: memoryMb });
  await addRunner({ memoryMb: memoryMb, status: 'lost' });
  const refused = await start();
  expect([refused.status, refused.body.error]).toEqual([400, 'task_too_large']);
  expect(refused.body.message).toContain(`${memoryMb} MB`);
});

test('an account at its limit of parallel executions is refused by its name; queued and finished executions do not count', async () => {
  await addRunner();
  for (const [executionId, status] of [
    ['first', 'pending'],
    ['second', 'queued'],
    ['third', 'succeeded'],
  ] as const) {
    await api.admin.post('/jobs/now/executions', { executionId });
    await sql`update executions set status = ${status},
      completed_at = case when ${status}::text = 'succeeded' then now() end where external_id = ${executionId}`.execute(
      api.database,
    );
  }
  expect((await start()).status).toBe(200);
  await sql`update executions set status = 'running' where external_id = 'second'`.execute(api.database);
  const { status, body } = await start();
  expect([status, body.error]).toEqual([429, 'no_capacity']);
  expect(body.message).toMatch(
    /^Maximum parallel executions limit reached: 2 for the account \(job_parallel_executions\)\./,
  );
});

test('without allowQueue it is queued, whatever the runners hold', async () => {
  expect((await start({ allowQueue: true })).status).toBe(200);
  expect((await start({ allowQueue: undefined })).status).toBe(200);
  expect(await storedCount()).toBe(2);
});
