// Job executions. Specification: Job execution; Inference and execution endpoints.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

let api: TestApi;
/** Client without a workspace header: the path alone names the workspace. */
let unplaced: Client;
beforeAll(async () => {
  api = await startTestApi();
  unplaced = api.admin.with({ workspace: undefined });
  const runtime = { maxConcurrentTasks: 3, maxRetries: 2, memory: 2048, timeout: 1800 };
  await api.admin.post('/jobs', { metadata: { name: 'report' }, spec: { runtime } });
});
afterAll(() => api[Symbol.asyncDispose]());

const start = async (body: object, job = 'report'): Promise<string> => {
  const started = await unplaced.post(`//${api.workspace}/jobs/${job}/executions`, body);
  expect(started.status, started.text).toBe(200);
  return started.body.executionId;
};
const read = async (id: string, job = 'report') => (await api.admin.get(`/jobs/${job}/executions/${id}`)).body;

interface Task {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly conditions: readonly Readonly<Record<string, unknown>>[];
}
const isInstant = (text: unknown) => typeof text === 'string' && new Date(text).toISOString() === text;

test('execution.start-at-api-url: posting tasks to the address without /v0 records an execution that starts out queued', async () => {
  const path = `/${api.workspace}/jobs/report/executions`;
  const started = await unplaced.post(`/${path}`, { tasks: [{ city: 'Oslo' }] });
  expect(started.status).toBe(200);
  const id: string = started.body.executionId;
  expect((await read(id)).status).toBe('queued');
  const listed = (await api.admin.get('/jobs/report/executions')).body.data;
  expect(listed.map(({ metadata }: { metadata: { id: string } }) => metadata.id)).toEqual([id]);
  expect((await api.admin.get('/jobs/report')).body.metadata.url).toMatch(new RegExp(`[^/]/${path.slice(1)}$`));
  expect((await unplaced.post(`//${api.workspace}/jobs/no-such-job/executions`, { tasks: [] })).status).toBe(404);
  expect((await unplaced.post('//no-such-workspace/jobs/report/executions', { tasks: [] })).status).toBe(404);
  expect((await unplaced.with({ key: undefined }).post(`/${path}`, { tasks: [{}] })).status).toBe(401);
});

test('execution.read: GET of an execution returns its status, its task counts and its times', async () => {
  const before = Date.now();
  const id = await start({ tasks: [{}, {}] });
  const answer = await api.admin.get(`/jobs/report/executions/${id}`);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ status: 'queued', stats: { total: 2, running: 0 }, metadata: { id } });
  for (const time of [answer.body.metadata.createdAt, answer.body.metadata.updatedAt]) {
    expect(isInstant(time)).toBe(true);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now() + 1);
  }
  // Nothing has run, so there are no times of a run.
  expect(answer.body.metadata).not.toHaveProperty('startedAt');
  expect(answer.body.metadata).not.toHaveProperty('completedAt');
  await api.admin.delete(`/jobs/report/executions/${id}`);
  const ended = await read(id);
  expect(ended).toMatchObject({ status: 'cancelled', stats: { total: 2, cancelled: 2 } });
  expect(isInstant(ended.metadata.completedAt)).toBe(true);
  expect((await api.admin.get('/jobs/report/executions/no-such-execution')).status).toBe(404);
  expect((await api.admin.get(`/jobs/no-such-job/executions/${id}`)).status).toBe(404);
});

test('execution.metadata: the metadata of an execution names its id, job and workspace, and every value in it is a string', async () => {
  const id = await start({ tasks: [{}] });
  await api.admin.delete(`/jobs/report/executions/${id}`);
  const { metadata } = await read(id);
  expect(metadata).toMatchObject({ id, job: 'report', workspace: api.workspace });
  const known = ['cluster', 'completedAt', 'createdAt', 'deletedAt', 'expiredAt', 'id', 'job', 'startedAt'];
  for (const [field, value] of Object.entries(metadata)) {
    expect([...known, 'updatedAt', 'workspace']).toContain(field);
    expect(typeof value, field).toBe('string');
  }
});

test('execution.settings: an execution carries parallelism, timeout, memoryOverride and tasks as they were fixed when it was started', async () => {
  const job = (runtime: object) => ({ metadata: { name: 'moving' }, spec: { runtime } });
  await api.admin.post('/jobs', job({ maxConcurrentTasks: 4, maxRetries: 1, memory: 1024, timeout: 90 }));
  const id = await start({ tasks: [{ a: 1 }, { b: 2 }], memory: 512 }, 'moving');
  const fixed = await read(id, 'moving');
  expect(fixed.spec).toMatchObject({ parallelism: 4, timeout: 90, memoryOverride: 512 });
  expect(fixed.spec.tasks).toHaveLength(2);
  expect(fixed.spec.tasks).toEqual(fixed.tasks);
  await api.admin.put('/jobs/moving', job({ maxConcurrentTasks: 9, maxRetries: 5, memory: 4096, timeout: 600 }));
  expect(await read(id, 'moving')).toEqual(fixed);
  const later = await read(await start({ tasks: [{}] }, 'moving'), 'moving');
  expect(later.spec).toMatchObject({ parallelism: 9, timeout: 600 });
  expect(later.spec).not.toHaveProperty('memoryOverride');
  for (const memory of ['512', 512.5, 999_999]) {
    const refused = await api.admin.post('/jobs/moving/executions', { memory });
    expect(refused.status, String(memory)).toBe(400);
  }
});

test('execution.env-override: envOverride comes back as a string that holds a JSON map with secret values masked', async () => {
  const variables = { TOKEN: 'hunter2-hunter2', MODE: 'swiftly-swiftly' };
  for (const envOverride of [variables, JSON.stringify(variables)]) {
    const id = await start({ envOverride });
    const answers = [
      await api.admin.get(`/jobs/report/executions/${id}`),
      await api.admin.get('/jobs/report/executions'),
      await api.admin.delete(`/jobs/report/executions/${id}`),
    ];
    for (const { text } of answers) expect(text).not.toContain('hunter2');
    for (const shown of [answers[0]?.body, answers[1]?.body.data[0], answers[2]?.body]) {
      expect(shown.metadata.id).toBe(id);
      expect(typeof shown.spec.envOverride).toBe('string');
      const map = JSON.parse(shown.spec.envOverride);
      expect(map).toEqual({ TOKEN: expect.stringMatching(/^\*+$/), MODE: expect.any(String) });
    }
  }
  expect((await read(await start({}))).spec).not.toHaveProperty('envOverride');
  for (const envOverride of ['not json', '[]', '7', [1], 7, { TOKEN: 7 }, '{"TOKEN":7}']) {
    const refused = await api.admin.post('/jobs/report/executions', { envOverride });
    expect(refused.status, JSON.stringify(envOverride)).toBe(400);
  }
});

test('execution.stats: stats holds six integers and total equals the number of tasks', async () => {
  for (const count of [1, 2, 17]) {
    const id = await start({ tasks: Array.from({ length: count }, () => ({})) });
    const { stats } = await read(id);
    expect(stats).toEqual({ cancelled: 0, failure: 0, retried: 0, running: 0, success: 0, total: count });
    const listed = (await api.admin.get('/jobs/report/executions', { query: { limit: 1 } })).body.data[0];
    expect([listed.metadata.id, listed.stats]).toEqual([id, stats]);
    const cancelled = await api.admin.delete(`/jobs/report/executions/${id}`);
    expect(cancelled.body.stats).toEqual({ ...stats, cancelled: count });
  }
});

test('execution.tasks: each task has a name, times, retries, a timeout as a duration text, and conditions of string fields', async () => {
  const id = await start({ tasks: [{}, {}, {}] });
  const queued: Task[] = (await read(id)).tasks;
  await api.admin.delete(`/jobs/report/executions/${id}`);
  const ended: Task[] = (await read(id)).tasks;
  for (const tasks of [queued, ended]) {
    expect(new Set(tasks.map(({ metadata }) => metadata.name)).size).toBe(3);
    for (const { metadata, conditions, ...task } of tasks) {
      expect(task).toMatchObject({ spec: { maxRetries: 2, timeout: '30m' } });
      const { name, ...times } = metadata;
      expect(name).toMatch(/./);
      expect(Object.keys(times)).toEqual(expect.arrayContaining(['createdAt', 'updatedAt']));
      for (const [field, time] of Object.entries(times)) expect(isInstant(time), field).toBe(true);
      expect(conditions.length).toBeGreaterThan(0);
      for (const condition of conditions) {
        expect(Object.keys(condition).sort()).toEqual([
          'executionReason',
          'message',
          'reason',
          'severity',
          'state',
          'type',
        ]);
        for (const [field, value] of Object.entries(condition)) expect(typeof value, field).toBe('string');
      }
    }
  }
  for (const [timeout, text] of [
    [3600, '1h'],
    [60, '1m'],
    [90, '90s'],
    [1, '1s'],
  ] as const) {
    const name = `waits-${timeout}`;
    await api.admin.post('/jobs', { metadata: { name }, spec: { runtime: { timeout } } });
    const [task] = (await read(await start({ tasks: [{}] }, name), name)).tasks;
    expect(task.spec).toEqual({ maxRetries: 0, timeout: text });
  }
});

test('execution.task-arguments: each object of tasks becomes one task whatever its keys, and tasks that are not objects are refused', async () => {
  const tasks: Record<string, unknown>[] = [
    { city: 'Oslo', count: 3, deep: { list: [1, null, { x: true }] } },
    {},
    { name: 'x', spec: 'y', metadata: 7, '': 'empty key', 'a.b/c d': '€', constructor: 'plain' },
    { city: 'Oslo' },
  ];
  const started = await unplaced.post(`//${api.workspace}/jobs/report/executions`, { tasks });
  expect(started.body.tasks).toEqual(tasks);
  const execution = await read(started.body.executionId);
  expect(execution.tasks).toHaveLength(tasks.length);
  expect(execution.stats.total).toBe(tasks.length);
  const stored = await api.database
    .selectFrom('tasks')
    .innerJoin('executions', 'executions.id', 'tasks.execution_id')
    .select('input')
    .where('external_id', '=', started.body.executionId)
    .orderBy('index')
    .execute();
  expect(stored.map(({ input }) => input)).toEqual(tasks);
  const before = (await api.admin.get('/jobs/report/executions')).body.meta.total;
  for (const refused of [['text'], [7], [null], [[]], [true], [{}, 'text'], {}, 'text', 7]) {
    const { status } = await unplaced.post(`//${api.workspace}/jobs/report/executions`, { tasks: refused });
    expect(status, JSON.stringify(refused)).toBe(400);
  }
  expect((await api.admin.get('/jobs/report/executions')).body.meta.total).toBe(before);
});
