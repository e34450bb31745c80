import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await api.admin.post('/jobs', { metadata: { name: 'large' }, spec: {} });
});
afterAll(() => api[Symbol.asyncDispose]());

test('100 000 tasks are started, read and cancelled within seconds', { timeout: 60_000 }, async () => {
  const tasks = Array.from({ length: 100_000 }, (_, index) => ({ index, file: `part-${index}.csv` }));
  const startedAt = performance.now();
  const started = await api.admin.post('/jobs/large/executions', { executionId: 'all', tasks });
  expect(started.status).toBe(200);
  const seconds = (performance.now() - startedAt) / 1000;
  expect(seconds, `seconds to start 100 000 tasks`).toBeLessThan(10);
  const read = await api.admin.get('/jobs/large/executions/all');
  expect(read.body.stats.total).toBe(100_000);
  expect(read.body.tasks).toHaveLength(1000);
  const last = await api.admin.get('/jobs/large/executions/all/tasks', { query: { sort: 'name:desc', limit: 1 } });
  expect(last.body.data[0].metadata.name).toBe('task-99999');
  expect((await api.admin.delete('/jobs/large/executions/all')).body.stats.cancelled).toBe(100_000);
});

test('one task more than that is refused', async () => {
  const refused = await api.admin.post('/jobs/large/executions', { tasks: Array(100_001).fill({}) });
  expect(refused.status).toBe(400);
});
