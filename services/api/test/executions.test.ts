import { outboxKeys } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await makeJob('report', { runtime: { image: 'job/report:1', memory: 2048, maxConcurrentTasks: 3, timeout: 1800 } });
});
afterAll(() => api[Symbol.asyncDispose]());

const makeJob = async (name: string, spec: object = {}) => {
  expect((await api.admin.post('/jobs', { metadata: { name }, spec })).status).toBe(200);
};
const start = (job: string, body: object = {}) => api.admin.post(`/jobs/${job}/executions`, body);
const read = (job: string, id: string) => api.admin.get(`/jobs/${job}/executions/${id}`);
const stored = (externalId: string) =>
  api.database.selectFrom('executions').selectAll().where('external_id', '=', externalId).executeTakeFirst();

describe('start', () => {
  test('an execution is recorded as queued with the settings its job had at that moment', async () => {
    await makeJob('frozen', { runtime: { maxConcurrentTasks: 3, timeout: 1800, maxRetries: 2 } });
    const started = await start('frozen', { tasks: [{ city: 'Oslo' }, { city: 'Turin', deep: { a: [1] } }] });
    expect(started.body).toEqual({
      executionId: expect.any(String),
      id: expect.any(String),
      jobId: 'frozen',
      workspaceId: 'main',
      tasks: [{ city: 'Oslo' }, { city: 'Turin', deep: { a: [1] } }],
    });
    await api.admin.put('/jobs/frozen', { metadata: {}, spec: { runtime: { maxConcurrentTasks: 9, timeout: 60 } } });
    const { body } = await read('frozen', started.body.executionId);
    expect(body).toMatchObject({
      metadata: { id: started.body.executionId, job: 'frozen', workspace: 'main' },
      spec: { parallelism: 3, timeout: 1800 },
      stats: { total: 2, running: 0, success: 0, failure: 0, cancelled: 0, retried: 0 },
      status: 'queued',
    });
    expect(body.tasks).toHaveLength(2);
    expect(body.tasks[1]).toMatchObject({
      metadata: { name: 'task-1', createdAt: expect.any(String) },
      spec: { maxRetries: 2, timeout: '30m' },
      status: 'pending',
      conditions: [{ type: 'Scheduled', state: 'false', reason: 'Waiting' }],
    });
    const row = await stored(started.body.executionId);
    expect(row?.spec).toMatchObject({ job: { runtime: { maxConcurrentTasks: 3 } } });
  });

  test.each([{}, { tasks: [] }])('without tasks there is one task without arguments: %j', async (body) => {
    const started = await start('report', body);
    expect(started.body.tasks).toEqual([{}]);
    expect((await read('report', started.body.executionId)).body.stats.total).toBe(1);
  });

  test('the address without /v0 starts the same kind of execution', async () => {
    const started = await api.admin
      .with({ workspace: undefined })
      .post('//main/jobs/report/executions', { tasks: [{ x: 1 }] });
    expect(started.status).toBe(200);
    expect((await read('report', started.body.executionId)).body.status).toBe('queued');
  });

  test('a missing job is 404 at both addresses, and so is a foreign workspace in the path', async () => {
    expect((await start('nothing')).status).toBe(404);
    expect((await api.admin.post('//main/jobs/nothing/executions', {})).status).toBe(404);
    const stranger = await api.user();
    const foreign = await stranger.client.post('//main/jobs/report/executions', {});
    const missing = await stranger.client.post('//nowhere/jobs/report/executions', {});
    expect([foreign.status, missing.status, foreign.text]).toEqual([404, 404, missing.text]);
  });

  test('a job that is not enabled is refused with what to do', async () => {
    await makeJob('asleep', { enabled: false });
    const refused = await start('asleep');
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: 'job_disabled', message: expect.stringContaining('spec.enabled') });
  });

  test('memory up to that of the job is taken, above it is 400', async () => {
    const started = await start('report', { memory: 2048 });
    expect((await read('report', started.body.executionId)).body.spec.memoryOverride).toBe(2048);
    const refused = await start('report', { memory: 2049 });
    expect(refused.body).toMatchObject({ code: 400, error: 'memory_above_job' });
  });

  test('an execution keeps the image, the generation and the sealed variables of its job', async () => {
    const envs = [{ name: 'TOKEN', value: 'hunter2', secret: true }];
    await makeJob('complete', { runtime: { image: 'registry.example/complete:1', generation: 'mk3', envs } });
    const { executionId } = (await start('complete')).body;
    const later = { runtime: { image: 'registry.example/complete:2', envs: [] } };
    expect((await api.admin.put('/jobs/complete', { metadata: {}, spec: later })).status).toBe(200);
    const row = await stored(executionId);
    expect(row?.spec).toMatchObject({
      job: { runtime: { image: 'registry.example/complete:1', generation: 'mk3', envs: [{ name: 'TOKEN' }] } },
    });
    expect(JSON.stringify(row)).not.toContain('hunter2');
    expect(row).toMatchObject({ parallelism: 10, memory_mb: 1024, active: 0 });
  });

  test('tasks that are not objects are refused', async () => {
    for (const task of ['text', 1, null, [1]]) expect((await start('report', { tasks: [task] })).status).toBe(400);
  });
});

describe('identity', () => {
  test('an executionId is used as given, and a taken one is 409 in its own job only', async () => {
    await makeJob('first');
    await makeJob('second');
    expect((await start('first', { executionId: 'night-1' })).body.executionId).toBe('night-1');
    expect((await start('first', { executionId: 'night-1' })).body).toMatchObject({ error: 'execution_exists' });
    expect((await start('second', { executionId: 'night-1' })).status).toBe(200);
    expect((await api.admin.get('/jobs/first/executions')).body.meta.total).toBe(1);
  });

  test('one message starts one execution of a job, however often and from however many senders it comes', async () => {
    await makeJob('mail');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => start('mail', { id: 'msg-1', tasks: [{ n: 1 }] })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await api.admin.get('/jobs/mail/executions')).body.meta.total).toBe(1);
    const again = await start('mail', { id: 'msg-1', tasks: [{ n: 2 }, {}], executionId: 'other' });
    expect(again.body).toEqual(answers[0]?.body);
    await makeJob('post');
    expect((await start('post', { id: 'msg-1' })).body.executionId).not.toBe(answers[0]?.body.executionId);
  });

  test('an execution of another job or workspace is not found', async () => {
    const started = await start('report', { executionId: 'mine' });
    expect(started.status).toBe(200);
    expect((await read('first', 'mine')).status).toBe(404);
    await api.addWorkspace('elsewhere');
    const there = await api.admin.with({ workspace: 'elsewhere' }).get('/jobs/report/executions/mine');
    expect(there.status).toBe(404);
  });
});

describe('environment', () => {
  test.each([{ env: { TOKEN: 'hunter2', MODE: 'fast' } }, { envOverride: '{"TOKEN":"hunter2","MODE":"fast"}' }])(
    'values are sealed where they are stored and masked where they are shown: %j',
    async (body) => {
      const { executionId } = (await start('report', body)).body;
      const shown = await read('report', executionId);
      expect(JSON.parse(shown.body.spec.envOverride)).toEqual({ TOKEN: '***', MODE: '***' });
      const row = await stored(executionId);
      expect(row?.spec).toMatchObject({ env: { TOKEN: { $sealed: expect.stringMatching(/^v1\./) } } });
      expect(JSON.stringify(row)).not.toContain('hunter2');
    },
  );
});

describe('cancel', () => {
  test('a queued execution and all its tasks are cancelled at once, and the record stays', async () => {
    const { executionId } = (await start('report', { tasks: [{}, {}, {}] })).body;
    const cancelled = await api.admin.delete(`/jobs/report/executions/${executionId}`);
    expect(cancelled.body).toMatchObject({
      status: 'cancelled',
      stats: { total: 3, cancelled: 3, running: 0 },
      metadata: { completedAt: expect.any(String) },
    });
    expect(cancelled.body.tasks.map((task: { status: string }) => task.status)).toEqual(Array(3).fill('cancelled'));
    expect((await read('report', executionId)).body).toEqual(cancelled.body);
    const row = await stored(executionId);
    const events = await api.database
      .selectFrom('resource_events')
      .select('status')
      .where('resource_uid', '=', row?.id ?? '')
      .orderBy('id')
      .execute();
    expect(events.map(({ status }) => status)).toEqual(['queued', 'cancelling', 'cancelled']);
  });

  test('cancelling what has ended answers 200 and changes nothing', async () => {
    const { executionId } = (await start('report')).body;
    const first = await api.admin.delete(`/jobs/report/executions/${executionId}`);
    const second = await api.admin.delete(`/jobs/report/executions/${executionId}`);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await api.admin.delete('/jobs/report/executions/nothing')).status).toBe(404);
  });

  test('tasks in progress are left to end by themselves and keep the execution in cancelling', async () => {
    const { executionId } = (await start('report', { tasks: [{}, {}, {}] })).body;
    const id = (await stored(executionId))?.id ?? '';
    // Stands in for the orchestrator: writes the rows that it would write.
    await api.database
      .updateTable('executions')
      .set({ status: 'running', started_at: new Date(), active: 1, succeeded: 1 })
      .where('id', '=', id)
      .execute();
    for (const [index, status] of [
      [0, 'succeeded'],
      [1, 'running'],
    ] as const)
      await api.database
        .updateTable('tasks')
        .set({ status })
        .where('execution_id', '=', id)
        .where('index', '=', index)
        .execute();
    const { body } = await api.admin.delete(`/jobs/report/executions/${executionId}`);
    expect(body).toMatchObject({
      status: 'cancelling',
      stats: { total: 3, success: 1, running: 1, cancelled: 1, failure: 0 },
    });
    expect(body.metadata).not.toHaveProperty('completedAt');
    expect(body.metadata).not.toHaveProperty('expiredAt');
    const again = await api.admin.delete(`/jobs/report/executions/${executionId}`);
    expect(again.body).toEqual(body);
  });

  test('a task that waits for its next attempt is cancelled and counted once', async () => {
    const { executionId } = (await start('report', { tasks: [{}, {}] })).body;
    const id = (await stored(executionId))?.id ?? '';
    await api.database
      .updateTable('executions')
      .set({ status: 'running', started_at: new Date(), failed: 1, retried: 1 })
      .where('id', '=', id)
      .execute();
    for (const [index, status] of [
      [0, 'failed'],
      [1, 'pending'],
    ] as const)
      await api.database
        .updateTable('tasks')
        .set({ status, failures: 1, reason: 'exited', exit_code: 2 })
        .where('execution_id', '=', id)
        .where('index', '=', index)
        .execute();
    const before = (await read('report', executionId)).body.tasks.map(
      (task: { conditions: { reason: string }[] }) => task.conditions[0]?.reason,
    );
    expect(before).toEqual(['ExitCode', 'Retrying']);
    const { body } = await api.admin.delete(`/jobs/report/executions/${executionId}`);
    expect(body).toMatchObject({
      status: 'cancelled',
      stats: { total: 2, failure: 1, cancelled: 1, retried: 1, running: 0, success: 0 },
      tasks: [{ status: 'failed' }, { status: 'cancelled' }],
    });
  });

  test('a finished execution says when it expires', async () => {
    const { executionId } = (await start('report')).body;
    const { metadata } = (await api.admin.delete(`/jobs/report/executions/${executionId}`)).body;
    expect(Date.parse(metadata.expiredAt) - Date.parse(metadata.completedAt)).toBe(30 * 86_400_000);
  });
});

describe('what a start leaves behind', () => {
  test('a deleted job frees its name, cancels its open executions and keeps all of them', async () => {
    await makeJob('brief');
    for (const executionId of ['waits', 'runs', 'over', 'stops'])
      await start('brief', { executionId, tasks: [{}, {}] });
    for (const [externalId, status] of [
      ['runs', 'running'],
      ['stops', 'cancelling'],
    ] as const)
      await api.database
        .updateTable('executions')
        .set({ status, active: 1 })
        .where('external_id', '=', externalId)
        .execute();
    await api.admin.delete('/jobs/brief/executions/over');
    await sql`truncate outbox`.execute(api.database);
    expect((await api.admin.delete('/jobs/brief')).status).toBe(200);
    expect((await api.admin.get('/jobs/brief/executions')).status).toBe(404);

    const rows = await Promise.all(['waits', 'runs', 'over', 'stops'].map(stored));
    expect(rows.map((row) => row?.status)).toEqual(['cancelling', 'cancelling', 'cancelled', 'cancelling']);
    // One for the start, one more for each change.
    expect(rows.map((row) => row?.generation)).toEqual([2, 2, 2, 1]);
    const messages = await api.database.selectFrom('outbox').select('key').where('topic', '=', 'execution').execute();
    expect(messages.map(({ key }) => key).toSorted()).toEqual([rows[0]?.id, rows[1]?.id].toSorted());
    const events = await api.database
      .selectFrom('resource_events')
      .select('message')
      .where('resource_uid', '=', rows[0]?.id ?? '')
      .orderBy('id')
      .execute();
    expect(events.map(({ message }) => message)).toEqual(['Queued.', 'Cancelled, because its job was deleted.']);

    await makeJob('brief');
    expect((await api.admin.get('/jobs/brief/executions')).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await start('brief', { executionId: 'waits' })).status).toBe(200);
  });

  test('a start and the deletion of its job leave no open execution behind, whichever comes first', async () => {
    for (let round = 0; round < 10; round += 1) {
      const name = `torn-${round}`;
      await makeJob(name);
      const [started, deleted] = await Promise.all([
        start(name, { executionId: name }),
        api.admin.delete(`/jobs/${name}`),
      ]);
      expect(deleted.status).toBe(200);
      expect([200, 404]).toContain(started.status);
      expect((await stored(name))?.status).toBe(started.status === 200 ? 'cancelling' : undefined);
    }
  });

  test('an outbox row, an audit row and one more in the counter', async () => {
    await makeJob('traced');
    const { executionId } = (await start('traced')).body;
    const id = (await stored(executionId))?.id ?? '';
    const outbox = await api.database.selectFrom('outbox').select(['topic', 'key']).orderBy('id', 'desc').execute();
    expect(outbox[0]).toEqual({ topic: 'dispatch', key: outboxKeys.dispatch });
    expect(outbox.map(({ key }) => key)).not.toContain(id);
    const audit = await api.database
      .selectFrom('audit_log')
      .select('target')
      .where('action', '=', 'job-execution.create')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    expect(audit?.target).toBe(`job/traced/execution/${executionId}`);
    expect((await api.admin.get('/jobs/traced/executions')).body.meta.total).toBe(1);
  });

  test('a cancel sends the execution to its own handler, and no reconcile', async () => {
    await makeJob('stopped');
    const { executionId } = (await start('stopped')).body;
    const id = (await stored(executionId))?.id ?? '';
    expect((await api.admin.delete(`/jobs/stopped/executions/${executionId}`)).status).toBe(200);
    const outbox = await api.database.selectFrom('outbox').select('topic').where('key', '=', id).execute();
    expect(outbox).toEqual([{ topic: 'execution' }]);
  });
});
