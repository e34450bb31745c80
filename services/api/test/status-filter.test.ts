// Listing by a status that few or no rows have: every page scans a bounded number of rows, and the walk misses none.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const many = 10_000;
/** Rows scanned for one page. */
const lookedAt = 4_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const { id } = await api.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', api.workspace)
    .executeTakeFirstOrThrow();
  // Every 3 000th row has failed; the older half of the sandboxes is terminated.
  await sql`insert into resources (uid, workspace_id, kind, name, spec, status, created_at, created_by, updated_by, search, terminated_at)
    select gen_random_uuid(), ${id}, kind, kind || '-' || lpad(n::text, 6, '0'), 
      case when kind = 'sandbox' then '{"lifecycle":{"terminatedRetention":"7d"}}' else '{}' end::jsonb,
      case when n % 3000 = 0 then 'FAILED' when kind = 'sandbox' and n <= ${many / 2} then 'TERMINATED' else 'DEPLOYED' end,
      now() - make_interval(secs => ${many} - n), 'x', 'x', kind,
      case when kind = 'sandbox' and n <= ${many / 2} then now() end
    from generate_series(1, ${many}::int) n, unnest(array['agent', 'sandbox']) as kind`.execute(api.database);
});
afterAll(() => api[Symbol.asyncDispose]());

interface Page {
  readonly names: readonly string[];
  readonly hasMore: boolean;
}

async function walk(path: string, query: Record<string, string | number | boolean>): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor = '';
  do {
    const { status, body, text } = await api.admin.get(path, { query: cursor === '' ? query : { ...query, cursor } });
    expect(status, text).toBe(200);
    const names = body.data.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    pages.push({ names, hasMore: body.meta.hasMore });
    cursor = body.meta.nextCursor;
  } while (cursor !== '');
  return pages;
}
const failed = (kind: string): string[] => [9_000, 6_000, 3_000].map((n) => `${kind}-00${n}`);

test('a status without resources gives empty pages with a cursor, one for each batch of rows', async () => {
  const pages = await walk('/agents', { status: 'BUILDING' });
  expect(pages).toEqual([
    { names: [], hasMore: true },
    { names: [], hasMore: true },
    { names: [], hasMore: false },
  ]);
  expect(pages).toHaveLength(Math.ceil(many / lookedAt));
});

test.each(['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'])(
  'a walk by status finds all in the order of %s, with any size of page',
  async (sort) => {
    const expected = sort.endsWith('desc') ? failed('agent') : failed('agent').reverse();
    for (const limit of [1, 2, 50]) {
      const pages = await walk('/agents', { status: 'FAILED', sort, limit });
      expect(pages.flatMap(({ names }) => names)).toEqual(expected);
    }
  },
);

test('terminated resources that are still shown are paged with live ones, and by their status', async () => {
  const all = await walk('/sandboxes', { showTerminated: true, limit: 200 });
  const names = all.flatMap((page) => page.names);
  expect(names).toEqual(names.toSorted().reverse());
  expect(names).toHaveLength(many);
  const over = (await walk('/sandboxes', { status: 'TERMINATED', limit: 200 })).flatMap((page) => page.names);
  // One of them is FAILED instead of TERMINATED.
  expect(over).toHaveLength(many / 2 - 1);
  expect((await walk('/sandboxes', { status: 'FAILED', limit: 50 })).flatMap((page) => page.names)).toEqual(
    failed('sandbox').slice(0, 2),
  );
});

test('anchor=end gives the oldest that match', async () => {
  const { body } = await api.admin.get('/agents', { query: { status: 'FAILED', anchor: 'end', limit: 2 } });
  expect(body.data.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(
    failed('agent').slice(1),
  );
  expect(body.meta).toMatchObject({ hasMore: false, nextCursor: '' });
});

test('older versions get all that is over and still shown as one array', async () => {
  const { body } = await api.admin
    .with({ version: '2026-04-16' })
    .get('/sandboxes', { query: { showTerminated: true } });
  expect(body).toHaveLength(many);
});
