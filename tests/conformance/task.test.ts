// Tasks of jobs that run. Specification: Batch job; Job execution; Inference and execution endpoints.
import { createHmac } from 'node:crypto';
import { brandedVariable, headerNames } from '@berth/contract';
import type { TaskInstance } from '@berth/contract/node';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Receiver } from '../../services/orchestrator/test/receiver.ts';
import type { Answer } from '../harness/client.ts';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { until } from '../harness/until.ts';
import { type JobDeployment, startJobDeployment, taskMemoryMb } from './support/job-deployment.ts';
import type { Environment, Image } from './support/stand-in-runner.ts';

let deployment: JobDeployment;
beforeAll(async () => {
  deployment = await startJobDeployment();
});
afterAll(() => deployment?.[Symbol.asyncDispose]());

type Body = Answer['body'];
const short = conformanceBrand().short;
const branded = (name: string): string => brandedVariable(short, name);
const indexOf = ({ TASK_INDEX }: Environment): number => Number(TASK_INDEX);
const imageOf = (job: string): string => `example/${job}:1`;
const admin = () => deployment.api.admin;
const pathOf = (job: string, id: string): string => `/jobs/${job}/executions/${id}`;

/** Creates a job whose image runs the given function. */
async function make(job: string, run: Image['run'], runtime: object = {}, pull?: Image['pull']): Promise<void> {
  deployment.runner.images.set(imageOf(job), { run, ...(pull === undefined ? {} : { pull }) });
  const spec = { runtime: { image: imageOf(job), memory: 128, ...runtime } };
  const made = await admin().post('/jobs', { metadata: { name: job }, spec });
  expect(made.status, made.text).toBe(200);
}

async function change(job: string, runtime: object): Promise<void> {
  const changed = await admin().put(`/jobs/${job}`, { metadata: { name: job }, spec: { runtime } });
  expect(changed.status, changed.text).toBe(200);
}

const emptyTasks = (count: number): object[] => Array.from({ length: count }, () => ({}));

async function start(job: string, body: object = {}): Promise<string> {
  const started = await admin().post(`/jobs/${job}/executions`, body);
  expect(started.status, started.text).toBe(200);
  return started.body.executionId;
}

/** Reads an execution. Its counts never exceed its tasks, in whatever state it is. */
async function read(job: string, id: string): Promise<Body> {
  const { status, body, text } = await admin().get(pathOf(job, id));
  expect(status, text).toBe(200);
  const { success, failure, cancelled, running, total } = body.stats;
  expect(success + failure + cancelled + running).toBeLessThanOrEqual(total);
  return body;
}

async function becomes(job: string, id: string, status: string): Promise<Body> {
  const finals = ['succeeded', 'failed', 'cancelled', 'timeout'];
  let body = await read(job, id);
  await until(async () => {
    body = await read(job, id);
    return body.status === status || finals.includes(body.status);
  });
  expect(body.status, JSON.stringify(body)).toBe(status);
  return body;
}

const startedFor = (job: string): TaskInstance[] =>
  deployment.runner.started.filter(({ image }) => image === imageOf(job));
const conditionsOf = ({ tasks }: Body): Body[] => tasks.map(({ conditions }: Body) => conditions[0]);
const statusesOf = ({ tasks }: Body): string[] => tasks.map(({ status }: Body) => status);

/** Reads the arguments as the image of a job does, with the names that its environment gives. */
async function readArguments(env: Environment): Promise<unknown> {
  const answer = await fetch(env[branded('EXECUTION_DATA_URL')] ?? '');
  expect(answer.status).toBe(200);
  const { tasks }: Body = await answer.json();
  return tasks[Number(env[env[branded('TASK_KEY')] ?? ''])];
}

test('task.parallel: an execution runs as many tasks side by side as its job allows and never more, and each of them once', async () => {
  let running = 0;
  let most = 0;
  const run = async () => {
    running += 1;
    most = Math.max(most, running);
    // The first tasks wait for each other, so they succeed only side by side.
    await until(() => most >= 3);
    running -= 1;
    return 0;
  };
  await make('parallel', run, { maxConcurrentTasks: 3 });
  const id = await start('parallel', { tasks: emptyTasks(9) });
  const ended = await becomes('parallel', id, 'succeeded');
  expect([most, ended.spec.parallelism]).toEqual([3, 3]);
  expect(
    startedFor('parallel')
      .map(({ env }) => indexOf(env))
      .toSorted(),
  ).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(ended.stats).toEqual({ total: 9, success: 9, failure: 0, cancelled: 0, retried: 0, running: 0 });
  const listed = (await admin().get('/jobs/parallel/executions')).body.data;
  expect(listed).toMatchObject([{ metadata: { id }, status: 'succeeded', stats: ended.stats }]);
});

test('task.retries: a failing task runs again as often as maxRetries of its job says, and the counts tell failures from retries', async () => {
  const runs = [0, 0, 0];
  const run = (env: Environment) => {
    const index = indexOf(env);
    const count = (runs[index] ?? 0) + 1;
    runs[index] = count;
    return index === 0 || (index === 1 && count === 2) ? 0 : 7;
  };
  await make('retrying', run, { maxRetries: 1 });
  const id = await start('retrying', { tasks: emptyTasks(3) });
  const ended = await becomes('retrying', id, 'failed');
  expect(runs).toEqual([1, 2, 2]);
  expect(ended.stats).toEqual({ total: 3, success: 2, failure: 1, cancelled: 0, retried: 2, running: 0 });
  expect(statusesOf(ended)).toEqual(['succeeded', 'succeeded', 'failed']);
  expect(ended.tasks[2].spec.maxRetries).toBe(1);
});

test('task.timeout: a task that runs longer than the timeout of its job is ended, and its execution with it as timeout', async () => {
  const forever = new Promise<number>(() => {});
  await make('slow', (env) => (indexOf(env) === 1 ? forever : 0), { timeout: 1 });
  const id = await start('slow', { tasks: emptyTasks(2) });
  const ended = await becomes('slow', id, 'timeout');
  expect(ended.spec.timeout).toBe(1);
  expect(ended.stats).toMatchObject({ success: 1, failure: 1, retried: 0 });
  expect(conditionsOf(ended).map(({ reason }) => reason)).toEqual(['Succeeded', 'Timeout']);
  const { startedAt, completedAt } = ended.tasks[1].metadata;
  // A timer may fire a millisecond early.
  expect(Date.parse(completedAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(990);
});

test('task.runtime: tasks get the image, memory, timeout and isolation of their job, and an execution may take less memory', async () => {
  await make('sized', () => 0, { memory: 1024, timeout: 77, generation: 'mk2' });
  await make('isolated', () => 0, { memory: 512, timeout: 78, generation: 'mk3' });
  for (const job of ['sized', 'isolated']) await becomes(job, await start(job), 'succeeded');
  const smaller = await becomes('sized', await start('sized', { memory: 256 }), 'succeeded');
  expect(smaller.spec.memoryOverride).toBe(256);
  expect(startedFor('sized')).toMatchObject([
    { mode: 'task', memoryMb: 1024, timeoutSeconds: 77, isolation: 'runc' },
    { mode: 'task', memoryMb: 256, timeoutSeconds: 77, isolation: 'runc' },
  ]);
  expect(startedFor('isolated')).toMatchObject([
    { mode: 'task', memoryMb: 512, timeoutSeconds: 78, isolation: 'gvisor' },
  ]);
});

test('task.frozen: an execution keeps the settings it was started with, also for tasks that start after its job has changed', async () => {
  let mayEnd = false;
  const run = async () => {
    await until(() => mayEnd);
    return 0;
  };
  await make('frozen', run, { maxConcurrentTasks: 1, timeout: 50, envs: [{ name: 'WORD', value: 'before' }] });
  const id = await start('frozen', { tasks: emptyTasks(2) });
  await becomes('frozen', id, 'running');
  await change('frozen', { image: imageOf('other'), maxConcurrentTasks: 5, timeout: 60, envs: [] });
  mayEnd = true;
  const ended = await becomes('frozen', id, 'succeeded');
  expect(ended.spec).toMatchObject({ parallelism: 1, timeout: 50 });
  const fixed = { timeoutSeconds: 50, env: expect.objectContaining({ WORD: 'before' }) };
  expect(startedFor('frozen')).toMatchObject([fixed, fixed]);
});

test('task.envs: tasks get the variables of their job, secret values too, and those of an execution replace them for that execution alone', async () => {
  const envs = [
    { name: 'PLAIN', value: 'of the job' },
    { name: 'TOKEN', value: 'job-hunter2', secret: true },
    { name: 'KEPT', value: 'kept' },
  ];
  await make('variables', () => 0, { envs });
  const override = { PLAIN: 'of the execution', TOKEN: 'own-hunter2', ADDED: 'only here' };
  const answers: Body[] = [];
  for (const body of [{ env: override }, { envOverride: JSON.stringify(override) }, {}]) {
    const id = await start('variables', body);
    answers.push(await becomes('variables', id, 'succeeded'));
  }
  expect(answers.map(({ spec }) => Object.keys(JSON.parse(spec.envOverride ?? '{}')).sort())).toEqual([
    Object.keys(override).sort(),
    Object.keys(override).sort(),
    [],
  ]);
  expect(JSON.stringify(answers)).not.toMatch(/hunter2|only here/);
  const own = { ...override, KEPT: 'kept' };
  expect(startedFor('variables').map(({ env }) => env)).toMatchObject([
    own,
    own,
    { PLAIN: 'of the job', TOKEN: 'job-hunter2', KEPT: 'kept' },
  ]);
  expect(startedFor('variables')[2]?.env).not.toHaveProperty('ADDED');
});

test('task.ports: tasks of a job with ports get the variables of the first one, and tasks of other jobs get none', async () => {
  const ports = [{ target: 9000, name: 'metrics', protocol: 'HTTP' }, { target: 9001 }];
  await make('listening', () => 0, { ports, envs: [{ name: 'PORT', value: '1' }] });
  await make('silent', () => 0);
  for (const job of ['listening', 'silent']) await becomes(job, await start(job), 'succeeded');
  expect(startedFor('listening').map(({ env }) => [env.HOST, env.PORT])).toEqual([['0.0.0.0', '9000']]);
  expect(startedFor('silent').map(({ env }) => [env.HOST, env.PORT])).toEqual([[undefined, undefined]]);
});

test('task.disk-percent: the disk of a task is the share of its memory that its job names, also in an execution with less memory', async () => {
  await make('shared', () => 0, { memory: 1024, diskPercent: 25 });
  await make('whole', () => 0, { memory: 1024 });
  for (const body of [{}, { memory: 256 }]) await becomes('shared', await start('shared', body), 'succeeded');
  await becomes('whole', await start('whole'), 'succeeded');
  expect(startedFor('shared').map(({ memoryMb, diskMb }) => [memoryMb, diskMb])).toEqual([
    [1024, 256],
    [256, 64],
  ]);
  expect(startedFor('whole').map(({ diskMb }) => diskMb)).toEqual([undefined]);
});

test('task.arguments: each task reads the object with its own index, whatever its keys, at an address of its own that needs no credential', async () => {
  const tasks: object[] = [
    { city: 'Oslo', count: 3, deep: { list: [1, null, { x: true }] } },
    {},
    { name: 'x', spec: 'y', metadata: 7, '': 'empty key', 'a.b/c d': '€ "quoted"', constructor: 'plain' },
  ];
  const seen: unknown[] = [];
  await make('reading', async (env) => {
    seen[indexOf(env)] = await readArguments(env);
    return 0;
  });
  const id = await start('reading', { tasks });
  await becomes('reading', id, 'succeeded');
  expect(seen).toEqual(tasks);
  const environments = startedFor('reading').map(({ env }) => env);
  for (const env of environments) expect(env[env[branded('EXECUTION_KEY')] ?? '']).toBe(id);
  const addresses = environments.map((env) => env[branded('EXECUTION_DATA_URL')] ?? '');
  expect(new Set(addresses).size).toBe(tasks.length);
  for (const address of addresses) expect(address).toMatch(new RegExp(`^${deployment.gatewayUrl}/.+`));
});

test('task.start-at-api-url: tasks posted to the address without /v0 run, one for each object, and the address of the job is the same', async () => {
  const seen = new Set<unknown>();
  await make('started', async (env) => {
    seen.add(await readArguments(env));
    return 0;
  });
  const { api } = deployment;
  const path = `/${api.workspace}/jobs/started/executions`;
  const tasks = [{ city: 'Oslo' }, { city: 'Turin' }];
  const started = await admin().with({ workspace: undefined }).post(`/${path}`, { tasks });
  expect([started.status, started.body.tasks]).toEqual([200, tasks]);
  const ended = await becomes('started', started.body.executionId, 'succeeded');
  expect([ended.stats.total, seen]).toEqual([2, new Set(tasks)]);
  expect(new URL((await admin().get('/jobs/started')).body.metadata.url).pathname).toBe(path);
});

const isInstant = (text: unknown) => typeof text === 'string' && new Date(text).toISOString() === text;

/** Checks that the times are there, are instants and follow each other. */
function expectTimes(times: Body, ...names: readonly string[]): void {
  for (const name of names) expect(isInstant(times[name]), name).toBe(true);
  const instants = names.map((name) => Date.parse(times[name]));
  expect(instants).toEqual(instants.toSorted((left, right) => left - right));
}

test('task.times: an execution and its tasks show when they were scheduled, started and completed, and until when they can be read', async () => {
  await make('timed', () => 0);
  const before = Date.now();
  const { metadata, tasks } = await becomes('timed', await start('timed', { tasks: emptyTasks(2) }), 'succeeded');
  expectTimes(metadata, 'createdAt', 'startedAt', 'completedAt', 'expiredAt');
  expect(Date.parse(metadata.createdAt)).toBeGreaterThanOrEqual(before - 1);
  expect(Date.parse(metadata.updatedAt)).toBeLessThanOrEqual(Date.now() + 1);
  for (const value of Object.values(metadata)) expect(typeof value).toBe('string');
  for (const [index, task] of tasks.entries()) {
    expect(Object.keys(task.metadata).sort()).toEqual([
      'completedAt',
      'createdAt',
      'name',
      'scheduledAt',
      'startedAt',
      'updatedAt',
    ]);
    expect(task.metadata.name).toBe(`task-${index}`);
    expectTimes(task.metadata, 'createdAt', 'scheduledAt', 'startedAt', 'completedAt');
    expectTimes(task.metadata, 'startedAt', 'updatedAt');
  }
});

/** Events by which an execution says what it waits for. */
const waitMessages = (id: string) =>
  deployment.api.database
    .selectFrom('resource_events')
    .innerJoin('executions', 'executions.id', 'resource_events.resource_uid')
    .select('message')
    .where('external_id', '=', id)
    .where('message', 'like', '%free for tasks%')
    .execute();

test('task.states: an execution is queued while there is no room, pending until a task starts, running, cancelling while tasks finish, then cancelled', async () => {
  let [isFree, isPulled, mayEnd] = [false, false, false];
  const whenFree = async () => {
    await until(() => isFree);
    return 0;
  };
  await make('filler', whenFree, { memory: taskMemoryMb });
  const filler = await start('filler');
  await becomes('filler', filler, 'running');
  const whenAllowed = async () => {
    await until(() => mayEnd);
    return 0;
  };
  const runtime = { maxConcurrentTasks: 2 };
  await make('states', whenAllowed, runtime, () => until(() => isPulled));
  const id = await start('states', { tasks: emptyTasks(3) });

  await until(async () => (await waitMessages(id)).length > 0);
  const queued = await becomes('states', id, 'queued');
  expect([queued.stats.running, statusesOf(queued)]).toEqual([0, ['pending', 'pending', 'pending']]);
  expect(queued.metadata).not.toHaveProperty('startedAt');
  isFree = true;
  await becomes('filler', filler, 'succeeded');

  await becomes('states', id, 'pending');
  await until(async () => statusesOf(await read('states', id)).join() === 'reconciling,reconciling,pending');
  const pending = await read('states', id);
  expect([pending.status, pending.stats.running]).toEqual(['pending', 2]);
  expect(isInstant(pending.tasks[0].metadata.scheduledAt)).toBe(true);
  isPulled = true;

  await becomes('states', id, 'running');
  await until(async () => statusesOf(await read('states', id)).join() === 'running,running,pending');
  const running = await read('states', id);
  expect(running.stats).toEqual({ total: 3, running: 2, success: 0, failure: 0, cancelled: 0, retried: 0 });
  expectTimes(running.metadata, 'createdAt', 'startedAt');
  expect(running.metadata).not.toHaveProperty('completedAt');

  expect((await admin().delete(pathOf('states', id))).body.status).toBe('cancelling');
  const cancelling = await read('states', id);
  expect([cancelling.status, statusesOf(cancelling)]).toEqual(['cancelling', ['running', 'running', 'cancelled']]);
  mayEnd = true;
  const cancelled = await becomes('states', id, 'cancelled');
  expect(cancelled.stats).toEqual({ total: 3, running: 0, success: 2, failure: 0, cancelled: 1, retried: 0 });
  expect(startedFor('states')).toHaveLength(2);
});

test('task.conditions: the condition of a task says in six strings whether it waits, runs, or how it ended', async () => {
  let mayGoOn = false;
  const ends = [0, 3, 'out_of_memory', 'disk_full', 'start_failed'] as const;
  const run = async (env: Environment) => {
    if (indexOf(env) === 0) await until(() => mayGoOn);
    return ends[indexOf(env)] ?? 0;
  };
  await make('ending', run, { maxConcurrentTasks: 1 });
  const id = await start('ending', { tasks: emptyTasks(ends.length) });
  await until(async () => statusesOf(await read('ending', id))[0] === 'running');
  const early = conditionsOf(await read('ending', id));
  expect(early.slice(0, 2)).toMatchObject([
    { type: 'Started', state: 'true', reason: 'Running' },
    { type: 'Scheduled', state: 'false', reason: 'Waiting' },
  ]);
  mayGoOn = true;
  const conditions = conditionsOf(await becomes('ending', id, 'failed'));
  const reasons = ['Succeeded', 'ExitCode', 'OutOfMemory', 'DiskFull', 'StartFailed'];
  expect(conditions.map(({ reason }) => reason)).toEqual(reasons);
  expect(conditions[1].message).toContain('exit code 3');
  expect(conditions.map(({ severity }) => severity)).toEqual(['info', 'error', 'error', 'error', 'error']);
  for (const condition of [...early, ...conditions]) {
    const fields = ['executionReason', 'message', 'reason', 'severity', 'state', 'type'];
    expect(Object.keys(condition).sort()).toEqual(fields);
    for (const [field, value] of Object.entries(condition)) expect(typeof value, field).toBe('string');
  }
});

test('task.image-missing: a task whose image does not exist fails with that reason and is not repeated', async () => {
  await make('imageless', () => 0, { maxRetries: 5 });
  deployment.runner.images.delete(imageOf('imageless'));
  const ended = await becomes('imageless', await start('imageless'), 'failed');
  expect(conditionsOf(ended)).toMatchObject([{ reason: 'ImageMissing', severity: 'error' }]);
  expect([ended.stats.failure, ended.stats.retried, startedFor('imageless')]).toEqual([1, 0, []]);
  expect(ended.tasks[0].metadata).not.toHaveProperty('startedAt');
});

test('task.volumes: tasks get the volumes of their job, each with its path, size and whether it is read-only', async () => {
  await make('mounted', () => 0);
  const volumes = [
    { name: 'scratch', mountPath: '/scratch', sizeMb: 16, type: 'ephemeral' },
    { name: 'fixed', mountPath: '/fixed', sizeMb: 8, type: 'ephemeral', readOnly: true },
  ];
  const spec = { runtime: { image: imageOf('mounted'), memory: 128 }, volumes };
  const changed = await admin().put('/jobs/mounted', { metadata: { name: 'mounted' }, spec });
  expect(changed.status, changed.text).toBe(200);
  await becomes('mounted', await start('mounted'), 'succeeded');
  expect(startedFor('mounted').map((task) => task.volumes)).toMatchObject([
    [
      { mountPath: '/scratch', sizeMb: 16 },
      { mountPath: '/fixed', sizeMb: 8, readOnly: true },
    ],
  ]);
});

test('task.revision: an execution runs the active revision of its job, also after a newer one was written', async () => {
  await make('versioned', () => 0, { timeout: 41 });
  const [{ id }]: Body[] = (await admin().get('/jobs/versioned/revisions')).body;
  const runtime = { image: imageOf('versioned'), memory: 128, timeout: 42 };
  await change('versioned', runtime);
  const spec = { runtime, revision: { active: id } };
  const changed = await admin().put('/jobs/versioned', { metadata: { name: 'versioned' }, spec });
  expect(changed.status, changed.text).toBe(200);
  await becomes('versioned', await start('versioned'), 'succeeded');
  expect(startedFor('versioned')).toMatchObject([{ timeoutSeconds: 41, revision: id }]);
});

test('task.policies: the tasks of a job run where its policies allow, and wait while they allow no place', async () => {
  const policy = (locations: object[]) => ({ metadata: { name: 'places' }, spec: { type: 'location', locations } });
  const made = await admin().post('/policies', policy([{ type: 'continent', name: 'af' }]));
  expect(made.status, made.text).toBe(200);
  await make('placed', () => 0);
  const spec = { runtime: { image: imageOf('placed'), memory: 128 }, policies: ['places'] };
  const changed = await admin().put('/jobs/placed', { metadata: { name: 'placed' }, spec });
  expect(changed.body.spec.policies).toEqual(['places']);
  const id = await start('placed');
  await becomes('placed', await start('placed'), 'queued');
  const allowed = await admin().put('/policies/places', policy([{ type: 'continent', name: 'eu' }]));
  expect(allowed.status, allowed.text).toBe(200);
  await becomes('placed', id, 'succeeded');
});

/** Gives a job these triggers, beside the runtime that `make` gave it. */
async function setTriggers(job: string, triggers: object[], runtime: object = {}): Promise<Body> {
  const spec = { runtime: { image: imageOf(job), memory: 128, ...runtime }, triggers };
  const changed = await admin().put(`/jobs/${job}`, { metadata: { name: job }, spec });
  expect(changed.status, changed.text).toBe(200);
  return changed.body;
}

/** Sends a request to the path of a trigger. */
async function call(path: string, body?: object, key?: string): Promise<{ status: number; body: Body }> {
  const answer = await fetch(`${deployment.gatewayUrl}/${deployment.api.workspace}/${path}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
  return { status: answer.status, body: await answer.json() };
}

test('task.http-trigger: a request to the path of a trigger runs its tasks with its retries and its timeout, for callers with a credential or for all, and not while it is switched off', async () => {
  const seen: unknown[] = [];
  await make('hooked', async (env) => {
    seen.push(await readArguments(env));
    return 1;
  });
  const configuration = { path: 'hooks/hooked', tasks: [{ city: 'Oslo' }], retry: 1, timeout: 33 };
  const hook = { id: 'hook', type: 'http', enabled: true, configuration };
  const open = { ...hook, id: 'open', configuration: { path: 'open', authenticationType: 'public' } };
  const off = { ...open, id: 'off', enabled: false, configuration: { path: 'off', authenticationType: 'public' } };
  await setTriggers('hooked', [hook, open, off]);
  const { adminKey } = deployment.api;
  const refused = [await call('hooks/hooked'), await call('off'), await call('off', {}, adminKey)];
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 404]);

  const started = await call('hooks/hooked', undefined, adminKey);
  expect(started).toMatchObject({ status: 200, body: { jobId: 'hooked', workspaceId: deployment.api.workspace } });
  const ended = await becomes('hooked', started.body.executionId, 'failed');
  expect(ended.stats).toMatchObject({ total: 1, failure: 1, retried: 1 });
  expect([seen, startedFor('hooked').map(({ timeoutSeconds }) => timeoutSeconds)]).toEqual([
    [{ city: 'Oslo' }, { city: 'Oslo' }],
    [33, 33],
  ]);

  seen.length = 0;
  const event = { action: 'opened', number: 7 };
  const answer = await call('open', event);
  await becomes('hooked', answer.body.executionId, 'failed');
  expect(seen).toEqual([event]);
});

test('task.cron-trigger: a schedule starts executions with the tasks of its trigger, and not while it is switched off', async () => {
  const seen = new Set<unknown>();
  await make('nightly', async (env) => {
    seen.add(await readArguments(env));
    return 0;
  });
  const configuration = { schedule: '0 0 1 1 *', tasks: [{ city: 'Oslo' }, { city: 'Turin' }] };
  const tick = { id: 'tick', type: 'cron', enabled: true, configuration };
  await setTriggers('nightly', [tick, { ...tick, id: 'off', enabled: false }]);
  // The tick is due now; the next write of the job lets the orchestrator look.
  await sql`update cron_triggers set next_at = clock_timestamp() - interval '1 second'
    where resource_uid = (select uid from resources where kind = 'job' and name = 'nightly')`.execute(
    deployment.api.database,
  );
  await setTriggers('nightly', [tick, { ...tick, id: 'off', enabled: false }], { timeout: 60 });
  const list = async (): Promise<Body[]> => (await admin().get('/jobs/nightly/executions')).body.data;
  await until(async () => (await list()).length > 0);
  const [first] = await list();
  await becomes('nightly', first.metadata.id, 'succeeded');
  expect([(await list()).length, seen]).toEqual([1, new Set(configuration.tasks)]);
});

test('task.callback: the result of an execution is posted to the callback address of its trigger, signed with the secret that the write of the job showed', async () => {
  await using receiver = await Receiver.start();
  await make('reporting', () => 0);
  const configuration = { path: 'reporting', callbackUrl: receiver.url };
  const { spec } = await setTriggers('reporting', [{ id: 'hook', type: 'http', configuration }]);
  const { callbackSecret } = spec.triggers[0].configuration;
  const { body } = await call('reporting', undefined, deployment.api.adminKey);
  await becomes('reporting', body.executionId, 'succeeded');
  await until(() => receiver.calls.length > 0);
  const [received] = receiver.calls;
  const sent: Body = JSON.parse(received?.body ?? '');
  expect([sent.status_code, JSON.parse(sent.response_body)]).toMatchObject([
    200,
    { execution_id: body.executionId, job: 'reporting', status: 'succeeded' },
  ]);
  const signature = createHmac('sha256', callbackSecret)
    .update(received?.body ?? '')
    .digest('hex');
  expect(received?.headers[headerNames(conformanceBrand()).signature.toLowerCase()]).toBe(`sha256=${signature}`);
});
