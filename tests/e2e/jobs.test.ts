// Executions become containers: every task ends in one final state, with its reason, and leaves nothing on its machine.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage } from '../../engines/build-image.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { freePort } from '../../engines/free-port.ts';
import { wireAddresses } from '../../engines/wire.ts';
import { attemptsOf, ended, type JobRuntime, makeJob, startExecution, taskReasons } from '../harness/job-executions.ts';
import { leftovers } from '../harness/leftovers.ts';
import { type Registry, startRegistry } from '../harness/registry.ts';
import { importScriptImage } from '../harness/script-image.ts';
import { isFull } from '../harness/size.ts';
import { clientOf, isolationsOf } from '../harness/workloads.ts';

let fleet: Fleet;
let registry: Registry;
let image: string;

beforeAll(async () => {
  registry = await startRegistry('jobs');
  // The gateway listens where the containers of the first machine may reach it.
  const [address] = wireAddresses(1);
  const port = await freePort();
  fleet = await startFleet({
    name: 'jobs',
    // The large executions have a workspace of their own: in one workspace the oldest execution comes first.
    workspaces: ['main', 'large'],
    machines: 1,
    gateways: [{ BERTH_GATEWAY_HOST: address, BERTH_GATEWAY_PORT: String(port) }],
    settings: {
      BERTH_PLACEMENT_JOBS_GATEWAY_URL: `http://${address}:${port}`,
      BERTH_RUNNER_GATEWAYS: JSON.stringify([{ address, port }]),
      BERTH_RUNNER_MEMORY_MB: '16384',
      BERTH_PLACEMENT_IMAGE_REGISTRY: registry.host,
      BERTH_API_ALLOWED_REGISTRIES: JSON.stringify(['*', registry.host]),
      BERTH_RUNNER_REGISTRIES: JSON.stringify([
        { host: registry.host, username: registry.username, password: registry.password },
      ]),
    },
  });
  image = await importScriptImage(fleet.machines[0]?.dockerUrl ?? '', 'berth-task', 'eval "$SCRIPT"');
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await registry?.stop();
});

const client = (workspace = 'main') => clientOf(fleet, workspace);
const job = (name: string, script: string, { workspace, ...runtime }: JobRuntime & { workspace?: string } = {}) =>
  makeJob(client(workspace), name, { image, generation: 'mk3', ...runtime, script });

describe.concurrent('executions', () => {
  test.each([
    { isolation: 'runc', generation: 'mk2' },
    { isolation: 'gvisor', generation: 'mk3' },
  ] as const)(
    'on $isolation every task runs once, in a container of its own, and the counts add up',
    async ({ isolation, generation }) => {
      // With the other tests the small size has more than 40 tasks.
      const count = isFull ? 100 : 10;
      const name = `count-${isolation}`;
      await job(name, 'test "$TASK_INDEX" -ge 0', { workspace: 'large', generation, maxConcurrentTasks: 8 });
      const id = await startExecution(client('large'), name, {
        tasks: Array.from({ length: count }, (_, n) => ({ n })),
      });
      const execution = await ended(client('large'), name, id);
      expect(execution.status).toBe('succeeded');
      expect(execution.stats).toEqual({
        total: count,
        success: count,
        failure: 0,
        cancelled: 0,
        retried: 0,
        running: 0,
      });
      const attempts = await attemptsOf(fleet, name);
      expect(
        attempts.map(({ task_index }) => task_index).toSorted((left, right) => (left ?? 0) - (right ?? 0)),
      ).toEqual(Array.from({ length: count }, (_, n) => n));
      expect(new Set(attempts.map(({ isolation: used }) => used))).toEqual(new Set([isolation]));
      const [task] = execution.tasks;
      expect(task.metadata).toMatchObject({
        scheduledAt: expect.any(String),
        startedAt: expect.any(String),
        completedAt: expect.any(String),
      });
      expect(task.metadata.startedAt <= task.metadata.completedAt).toBe(true);
    },
  );

  test('a task that exits with a code is repeated as often as its job allows, then fails with that code', async () => {
    await job('exit', 'echo broken pipe; exit 3', { maxRetries: 2 });
    const execution = await ended(client(), 'exit', await startExecution(client(), 'exit'));
    expect(execution.status).toBe('failed');
    expect(execution.stats).toMatchObject({ total: 1, failure: 1, retried: 2 });
    expect(execution.tasks[0].conditions).toMatchObject([{ reason: 'ExitCode', severity: 'error' }]);
    expect(execution.tasks[0].conditions[0].message).toMatch(/exit code 3.*broken pipe/s);
    expect((await attemptsOf(fleet, 'exit')).map(({ result }) => result)).toEqual(
      Array.from({ length: 3 }, () => ({ reason: 'exited', exitCode: 3 })),
    );
  });

  test('a task beyond its timeout is ended, also when it ignores SIGTERM, and the execution ends as timeout', async () => {
    await job('slow', 'trap "" TERM; sleep 600 & wait; sleep 600', { timeout: 1 });
    const execution = await ended(client(), 'slow', await startExecution(client(), 'slow'));
    expect([execution.status, taskReasons(execution)]).toEqual(['timeout', ['Timeout']]);
  });

  test('a task beyond its memory fails with that reason', async () => {
    await job('hungry', 'busybox tail /dev/zero', { memory: 128 });
    const execution = await ended(client(), 'hungry', await startExecution(client(), 'hungry'));
    expect([execution.status, taskReasons(execution)]).toEqual(['failed', ['OutOfMemory']]);
  });

  test('a missing image fails its tasks at once, without retries', async () => {
    await job('imageless', 'true', { image: `${registry.host}/main/nothing:1`, maxRetries: 5 });
    const execution = await ended(client(), 'imageless', await startExecution(client(), 'imageless'));
    expect([execution.status, taskReasons(execution)]).toEqual(['failed', ['ImageMissing']]);
    expect(execution.stats).toMatchObject({ failure: 1, retried: 0 });
  });

  test('a cancelled execution starts no further task, and the running ones finish', async ({ expect }) => {
    await job('stop', 'sleep 4', { maxConcurrentTasks: 2 });
    const id = await startExecution(client(), 'stop', { tasks: [{}, {}, {}, {}, {}, {}] });
    const path = `/jobs/stop/executions/${id}`;
    const isRunning = async () => running((await client().get(path)).body) > 0;
    await expect.poll(isRunning, { timeout: 180_000 }).toBe(true);
    expect((await client().delete(path)).body.status).toBe('cancelling');
    const { status, stats } = await ended(client(), 'stop', id);
    // The second task may not have started yet, or the first may have made room for a third.
    expect([status, stats.failure, stats.success + stats.cancelled]).toEqual(['cancelled', 0, 6]);
    expect(stats.success).toBeGreaterThan(0);
    expect(stats.cancelled).toBeGreaterThan(2);
  });

  test('variables and memory of an execution override those of its job, for this execution only', async () => {
    await job('over', 'test "$WORD" = "$EXPECTED"', { memory: 512, env: { WORD: 'job', EXPECTED: 'job' } });
    const override = { env: { WORD: 'own', EXPECTED: 'own' }, memory: 128 };
    const first = await ended(client(), 'over', await startExecution(client(), 'over', override));
    const second = await ended(client(), 'over', await startExecution(client(), 'over'));
    expect([first.status, second.status]).toEqual(['succeeded', 'succeeded']);
    expect((await attemptsOf(fleet, 'over')).map(({ memoryMb }) => memoryMb)).toEqual([128, 512]);
  });

  test.for(isolationsOf('gvisor'))(
    'on $isolation each task reads its arguments, and its output is found by execution and task',
    async ({ isolation, generation }, { expect }) => {
      const name = `read-${isolation}`;
      await job(name, 'echo "task $TASK_INDEX"; wget -q -O - "$SERVICE_EXECUTION_DATA_URL"', { generation });
      const tasks = [{ city: 'Oslo' }, { city: 'Turin' }, { city: 'Lima' }];
      const id = await startExecution(client(), name, { tasks });
      expect((await ended(client(), name, id)).status).toBe('succeeded');
      const lines = async (taskId: string) => {
        const query = { resourceType: 'jobs', workloadIds: name, executionId: id, taskId };
        const { body } = await client().get('/observability/logs', { query });
        return body;
      };
      await expect.poll(async () => JSON.stringify(await lines('task-1')), { timeout: 180_000 }).toContain('Lima');
      const own = JSON.stringify(await lines('task-1'));
      expect([own.includes('task 1'), own.includes('task 0'), own.includes('task 2')]).toEqual([true, false, false]);
    },
  );

  test.each(isolationsOf('gvisor'))(
    'on $isolation a task fills its volume up to its size and not beyond, and cannot write to a volume that is read-only',
    async ({ isolation, generation }) => {
      const name = `volumes-${isolation}`;
      const volumes = [
        { name: 'scratch', mountPath: '/scratch', sizeMb: 8, type: 'ephemeral' },
        { name: 'fixed', mountPath: '/fixed', sizeMb: 8, type: 'ephemeral', readOnly: true },
      ];
      // The second task starts after the first and finds an empty volume.
      await job(name, fillVolume, { generation, volumes, maxConcurrentTasks: 1 });
      const execution = await ended(client(), name, await startExecution(client(), name, { tasks: [{}, {}] }));
      expect(execution.tasks.map((task: { conditions: object[] }) => task.conditions)).toMatchObject(
        Array.from({ length: 2 }, () => [{ reason: 'Succeeded' }]),
      );
    },
  );

  test.each(isolationsOf('runc'))(
    'on $isolation a volume counts towards the memory of its task',
    async ({ isolation, generation }) => {
      const name = `memory-${isolation}`;
      const volumes = [{ name: 'scratch', mountPath: '/scratch', sizeMb: 128, type: 'ephemeral' }];
      const script = 'busybox dd if=/dev/zero of=/scratch/full bs=1M count=128';
      await job(name, script, { generation, volumes, memory: 128 });
      const execution = await ended(client(), name, await startExecution(client(), name));
      expect([execution.status, taskReasons(execution)]).toEqual(['failed', ['OutOfMemory']]);
    },
  );

  test.runIf(isFull)('the example word-statistics prints a line for each text', async ({ expect }) => {
    const example = 'berth-word-statistics:latest';
    const folder = join(import.meta.dirname, '../../examples/word-statistics');
    await buildImage(fleet.machines[0]?.dockerUrl ?? '', example, folder);
    const runtime = { image: example, memory: 256, generation: 'mk2' };
    await client().post('/jobs', { metadata: { name: 'words' }, spec: { runtime } });
    const tasks = [{ name: 'sea', text: 'The sea, the sea!' }, { name: 'nothing' }];
    const id = await startExecution(client(), 'words', { tasks });
    const execution = await ended(client(), 'words', id);
    expect(execution.tasks.map(({ status }: { status: string }) => status)).toEqual(['succeeded', 'failed']);
    expect(execution.tasks[1].conditions[0].message).toContain('Task 1 has neither a text nor a url.');
    const query = { resourceType: 'jobs', workloadIds: 'words', executionId: id, taskId: 'task-0' };
    const output = async () => JSON.stringify((await client().get('/observability/logs', { query })).body);
    const line = { name: 'sea', words: 4, distinct: 2, most: ['sea', 'the'].map((word) => ({ word, count: 2 })) };
    await expect.poll(output, { timeout: 180_000 }).toContain(JSON.stringify(JSON.stringify(line)).slice(1, -1));
  });

  test('deleting a job cancels its execution; what ran in it finishes', async ({ expect }) => {
    await job('doomed', 'sleep 4', { maxConcurrentTasks: 1 });
    const id = await startExecution(client(), 'doomed', { tasks: [{}, {}, {}, {}, {}] });
    const path = `/jobs/doomed/executions/${id}`;
    const isRunning = async () => running((await client().get(path)).body) > 0;
    await expect.poll(isRunning, { timeout: 180_000 }).toBe(true);
    expect((await client().delete('/jobs/doomed')).status).toBe(200);
    const row = () =>
      fleet.database
        .selectFrom('executions')
        .select(['status', 'succeeded', 'cancelled', 'active'])
        .where('external_id', '=', id)
        .executeTakeFirstOrThrow();
    await expect.poll(row, { timeout: 180_000 }).toMatchObject({ status: 'cancelled', active: 0 });
    const { succeeded, cancelled } = await row();
    expect([succeeded > 0, cancelled > 0, succeeded + cancelled]).toEqual([true, true, 5]);
  });
});

/** Each exit code names the guarantee that does not hold. */
const fillVolume = `
  write() { busybox dd if=/dev/zero of="$1" bs=1M count="$2"; }
  test -z "$(busybox ls -A /scratch)" || exit 11
  test "$(busybox stat -c %a /scratch)" = 1777 || exit 12
  write /scratch/full 8 || exit 13
  ! write /scratch/more 1 || exit 14
  busybox rm /scratch/full && write /scratch/again 4 || exit 15
  ! write /fixed/any 1 || exit 16
`;

/** Tasks whose process runs. */
const running = ({ tasks }: { readonly tasks: readonly { readonly status: string }[] }): number =>
  tasks.filter(({ status }) => status === 'running').length;

test('at the end no container, slot, reservation or file of a task is left', async () => {
  await expect.poll(() => leftovers(fleet), { timeout: 180_000 }).toEqual([]);
  const state = fleet.machines[0]?.stateFolder ?? '';
  expect(readdirSync(join(state, 'tasks'))).toEqual([]);
});
