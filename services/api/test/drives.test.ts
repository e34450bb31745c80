import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const drive = (name: string, spec: object = { size: 5 }) => ({ metadata: { name, labels: { team: 'Blue' } }, spec });

test('a drive is created, read, listed, changed and deleted', async () => {
  const created = await api.admin.post('/drives', drive('first'));
  expect(created.body).toMatchObject({
    metadata: { name: 'first', workspace: 'main' },
    status: 'DEPLOYING',
    events: [{ type: 'deployment' }],
  });
  const read = await api.admin.get('/drives/first');
  expect(read.body).toEqual(created.body);
  const listed = await api.admin.get('/drives', { query: { q: 'blue' } });
  expect(listed.body).toMatchObject({
    data: [{ metadata: { name: 'first' } }],
    meta: { total: 1, hasMore: false, nextCursor: '' },
  });
  const changed = await api.admin.put('/drives/first', { metadata: { labels: { team: 'red' } }, spec: {} });
  expect(changed.body).toMatchObject({ metadata: { labels: { team: 'red' } }, spec: { size: 5 } });
  expect((await api.admin.put('/drives/first', drive('first', { size: 6 }))).status).toBe(400);
  expect((await api.admin.delete('/drives/first')).body).toMatchObject({ name: 'first' });
  expect((await api.admin.get('/drives/first')).status).toBe(404);
});
