import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const count = 45;
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  for (const name of ['many', 'other']) await api.admin.post('/jobs', { metadata: { name }, spec: {} });
  for (let number = 0; number < count; number += 1)
    await api.admin.post('/jobs/many/executions', { executionId: `run-${String(number).padStart(3, '0')}` });
});
afterAll(() => api[Symbol.asyncDispose]());

const path = '/jobs/many/executions';
const ids = (items: { metadata: { id: string } }[]) => items.map(({ metadata }) => metadata.id);
const ascending = Array.from({ length: count }, (_, number) => `run-${String(number).padStart(3, '0')}`);

async function walk(address: string, query: Record<string, string | number>) {
  const pages: { data: never[]; meta: { hasMore: boolean; nextCursor: string } }[] = [];
  let cursor = '';
  do {
    const { body } = await api.admin.get(address, { query: { ...query, ...(cursor === '' ? {} : { cursor }) } });
    pages.push(body);
    cursor = body.meta.nextCursor;
  } while (cursor !== '');
  return pages;
}

describe('executions', () => {
  test.each(['createdAt:asc', 'createdAt:desc', 'name:asc', 'name:desc'])(
    'a walk sorted by %s meets every execution once, in order',
    async (sort) => {
      const pages = await walk(path, { sort, limit: 7 });
      const expected = sort.endsWith('asc') ? ascending : ascending.toReversed();
      expect(pages.flatMap(({ data }) => ids(data))).toEqual(expected);
    },
  );

  test('a page has 20 items unless asked otherwise, at most 100, and items come without tasks', async () => {
    const { body } = await api.admin.get(path);
    expect(body.data).toHaveLength(20);
    expect(body.meta).toMatchObject({ hasMore: true, total: count });
    expect(body.data[0]).toMatchObject({ status: 'queued', stats: { total: 1 } });
    expect(body.data[0]).not.toHaveProperty('tasks');
    expect((await api.admin.get(path, { query: { limit: 1000 } })).body.data).toHaveLength(count);
    expect((await api.admin.get(path, { query: { limit: 0 } })).status).toBe(400);
  });

  test('q looks through ids, with % and _ as ordinary characters, and total ignores it', async () => {
    const found = await api.admin.get(path, { query: { q: 'N-01' } });
    expect(ids(found.body.data).toReversed()).toEqual(ascending.slice(10, 20));
    expect(found.body.meta.total).toBe(count);
    expect((await api.admin.get(path, { query: { q: 'n_0' } })).body.data).toEqual([]);
  });

  test('a cursor of another job, sort or search is refused', async () => {
    const { nextCursor } = (await api.admin.get(path)).body.meta;
    for (const [address, query] of [
      ['/jobs/other/executions', {}],
      [path, { sort: 'name:asc' }],
      [path, { q: 'run' }],
    ] as const) {
      const refused = await api.admin.get(address, { query: { ...query, cursor: nextCursor } });
      expect(refused.body).toMatchObject({ error: 'invalid_cursor', code: 400 });
    }
  });

  test('before wrapped lists: the whole list newest first, with offset and without any other parameter', async () => {
    const old = api.admin.with({ version: '2026-04-16' });
    const newest = ascending.toReversed();
    expect(ids((await old.get(path, { query: { limit: 3, sort: 'name:asc' } })).body)).toEqual(newest);
    expect(ids((await old.get(path, { query: { offset: 40 } })).body)).toEqual(newest.slice(40));
    expect((await old.get('/jobs/other/executions')).body).toEqual([]);
    expect((await old.get('/jobs/nothing/executions')).status).toBe(404);
  });
});

describe('tasks', () => {
  const address = '/jobs/other/executions/wide/tasks';
  const names = (items: { metadata: { name: string } }[]) => items.map(({ metadata }) => metadata.name);
  const all = Array.from({ length: 130 }, (_, index) => `task-${index}`);
  beforeAll(async () => {
    const tasks = all.map((_, index) => ({ index }));
    await api.admin.post('/jobs/other/executions', { executionId: 'wide', tasks });
  });

  test.each([
    ['', all],
    ['name:asc', all],
    ['createdAt:desc', all.toReversed()],
  ])('a walk sorted by "%s" meets every task once, by index', async (sort, expected) => {
    const pages = await walk(address, { limit: 50, ...(sort === '' ? {} : { sort }) });
    expect(pages.flatMap(({ data }) => names(data))).toEqual(expected);
  });

  test('q looks through names, total counts all tasks', async () => {
    const { body } = await api.admin.get(address, { query: { q: 'sk-12' } });
    expect(names(body.data)).toEqual(all.filter((name) => name.startsWith('task-12')));
    expect(body.meta.total).toBe(130);
  });

  test('before wrapped lists all tasks come as an array', async () => {
    expect(names((await api.admin.with({ version: '2026-04-20' }).get(address)).body)).toEqual(all);
  });

  test('tasks of a missing execution are 404', async () => {
    expect((await api.admin.get('/jobs/other/executions/none/tasks')).status).toBe(404);
  });
});
