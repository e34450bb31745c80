import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await api.admin.post('/jobs', { metadata: { name: 'large' }, spec: {} });
});
afterAll(() => api[Symbol.asyncDispose]());

async function startMs(executionId: string, count: number): Promise<number> {
  const tasks = Array.from({ length: count }, (_, index) => ({ index, file: `part-${index}.csv` }));
  const startedAt = performance.now();
  const started = await api.admin.post('/jobs/large/executions', { executionId, tasks });
  expect(started.status).toBe(200);
  return performance.now() - startedAt;
}

test('100 000 tasks are started, read and cancelled, in time that grows with their number, not its square', {
  timeout: 240_000,
}, async () => {
  const tenthMs = await startMs('tenth', 10_000);
  // Ten times as many tasks; quadratic cost would take a hundred times as long.
  expect((await startMs('all', 100_000)) / tenthMs).toBeLessThan(50);
  const read = await api.admin.get('/jobs/large/executions/all');
  expect(read.body.stats.total).toBe(100_000);
  expect(read.body.tasks).toHaveLength(100);
  const last = await api.admin.get('/jobs/large/executions/all/tasks', { query: { sort: 'name:desc', limit: 1 } });
  expect(last.body.data[0].metadata.name).toBe('task-99999');
  expect((await api.admin.delete('/jobs/large/executions/all')).body.stats.cancelled).toBe(100_000);
});

test('one task more than that is refused', async () => {
  const refused = await api.admin.post('/jobs/large/executions', { tasks: Array(100_001).fill({}) });
  expect(refused.status).toBe(400);
});
