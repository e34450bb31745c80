// Walks through listings in pages during concurrent inserts and deletes. A row that exists from the first page to the
// last is returned exactly once and in order; a row that was inserted or deleted meanwhile may be missing, but no row
// is returned twice.
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../../tests/harness/client.ts';
import { seed } from '../../../tests/harness/size.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const sorts = ['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'] as const;
type Sort = (typeof sorts)[number];
type Query = Readonly<Record<string, string | number>>;

interface Item {
  readonly name: string;
  readonly createdAt: string;
}

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, displayName = '') => ({ metadata: { name, displayName }, spec: {} });
const itemOf = ({ metadata }: { metadata: { name?: string; id?: string; createdAt: string } }): Item => ({
  name: metadata.name ?? metadata.id ?? '',
  createdAt: metadata.createdAt,
});
const keyOf = ({ name, createdAt }: Item): string => `${name} ${createdAt}`;

/** All pages, each with its own limit; `between` runs after every page. */
async function walk(
  client: Client,
  path: string,
  query: Query,
  limits: readonly number[],
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<Item[]> {
  const seen: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 1000; page += 1) {
    const limit = limits[page % limits.length] ?? 50;
    const asked = { ...query, limit, ...(cursor === undefined ? {} : { cursor }) };
    const { status, body, text } = await client.get(path, { query: asked });
    expect(status, text).toBe(200);
    expect(body.data.length).toBeLessThanOrEqual(limit);
    if (body.meta.hasMore) expect(body.data.length).toBe(limit);
    seen.push(...body.data.map(itemOf));
    expect(body.meta.nextCursor === '').toBe(!body.meta.hasMore);
    if (!body.meta.hasMore) return seen;
    cursor = body.meta.nextCursor;
    await between(page);
  }
  throw new Error('the walk does not end');
}

function expectOrder(seen: readonly Item[], sort: Sort): void {
  const key = ({ name, createdAt }: Item) => (sort.startsWith('name') ? name : createdAt);
  const ordered = seen.map(key).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  expect(seen.map(key)).toEqual(sort.endsWith('asc') ? ordered : ordered.toReversed());
}

function expectOnce(seen: readonly Item[], stayed: readonly Item[]): void {
  const keys = seen.map(keyOf);
  expect(keys.length - new Set(keys).size, 'items given twice').toBe(0);
  const given = new Set(keys);
  expect(
    stayed.filter((item) => !given.has(keyOf(item))),
    'items that stayed and were skipped',
  ).toEqual([]);
}

const letters = fc.constantFrom(...'abcmnyz0189');
const name = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
/** With and without a search; `100%_` shows that the wildcards of LIKE are ordinary characters. */
const searches = [undefined, 'keep', 'ke', 'e1', '100%_', 'no such thing'] as const;

const scenario = fc.record({
  sort: fc.constantFrom(...sorts),
  q: fc.constantFrom(...searches),
  limits: fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 4 }),
  comings: fc.array(fc.uniqueArray(name, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
});

describe.each(['/drives', '/sandboxes', '/policies'])('a walk through %s', (path) => {
  const workspace = `walk-${path.slice(1)}`;
  const stayed: (Item & { readonly text: string })[] = [];
  let client: Client;

  beforeAll(async () => {
    await api.addWorkspace(workspace);
    client = api.admin.with({ workspace });
    const names = fc.sample(fc.uniqueArray(name, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed })[0] ?? [];
    // Created concurrently, so that several share a millisecond and only the tie-breaker orders them.
    await Promise.all(
      names.map(async (chosen, index) => {
        const shown = index % 4 === 0 ? 'Keep1 100%_' : index % 4 === 1 ? 'keep' : '';
        const { body } = await client.post(path, named(`${chosen}-s`, shown));
        stayed.push({ ...itemOf(body), text: `${chosen}-s\n${shown}`.toLowerCase() });
      }),
    );
  });

  test('never repeats and never skips what stayed, while others come and go', async () => {
    const there: string[] = [];
    await fc.assert(
      fc.asyncProperty(scenario, async ({ sort, q, limits, comings }) => {
        let step = 0;
        const disturb = async () => {
          // Stops after 20 steps: an ascending walk never ends while more rows arrive at its end than a page holds.
          if (step >= 20) return;
          const arriving = comings[step % comings.length] ?? [];
          const leaving = there.splice(0, step % 5);
          step += 1;
          const names = arriving.map((part) => `${part}-c${randomInt(1e9)}`);
          await Promise.all([
            ...leaving.map((gone) => client.delete(`${path}/${gone}`)),
            ...names.map((one, index) => client.post(path, named(one, index % 2 === 0 ? 'keep1 100%_' : ''))),
          ]);
          there.push(...names);
        };
        await disturb();
        const seen = await walk(client, path, { sort, ...(q === undefined ? {} : { q }) }, limits, disturb);
        expectOnce(
          seen,
          stayed.filter(({ text }) => q === undefined || text.includes(q)),
        );
        expectOrder(seen, sort);
      }),
      { numRuns: 12, seed, endOnFailure: true },
    );
  }, 120_000);

  test.each(sorts)('by %s gives with any limit what one page gives', async (sort) => {
    const whole = await walk(client, path, { sort }, [200]);
    expect(whole.length).toBeGreaterThanOrEqual(stayed.length);
    for (const limits of [[1, 200], [7], [Math.min(whole.length, 200)], [Math.min(whole.length - 1, 200)], [50]])
      expect(await walk(client, path, { sort }, limits)).toEqual(whole);
  });
});

describe('a walk that shows terminated sandboxes', () => {
  const workspace = 'walk-terminated';
  let client: Client;
  let count = 0;

  beforeAll(async () => {
    await api.addWorkspace(workspace);
    client = api.admin.with({ workspace });
    // The same name is created and deleted several times, so names are not unique.
    for (let life = 0; life < 7; life += 1) {
      for (const one of ['again', 'other', 'third']) {
        await client.post('/sandboxes', named(one));
        if (life < 6 || one === 'third') await client.delete(`/sandboxes/${one}`);
        count += 1;
      }
    }
  });

  test.each(sorts)('by %s gives each life of a name once', async (sort) => {
    for (const limits of [[200], [1], [2], [3, 1], [5]]) {
      const seen = await walk(client, '/sandboxes', { sort, showTerminated: 'true' }, limits);
      expect(seen).toHaveLength(count);
      expect(new Set(seen.map(keyOf)).size).toBe(count);
    }
  });
});

describe('a walk through executions and tasks', () => {
  test.each(sorts)('by %s never repeats and never skips what was there, while others are started', async (sort) => {
    const job = `job-${sort.replace(/[^a-z]/g, '')}`;
    await api.admin.post('/jobs', named(job));
    const path = `/jobs/${job}/executions`;
    const start = async (index: number) =>
      (await api.admin.post(path, { executionId: `e-${index % 7}-${index}` })).body;
    const started = await Promise.all(Array.from({ length: 40 }, (_, index) => start(index)));
    let next = 40;
    const seen = await walk(api.admin, path, { sort }, [1, 7, 3], async () => start(next++));
    const names = seen.map(({ name: one }) => one);
    expect(new Set(names).size).toBe(names.length);
    expect(started.filter(({ executionId }) => !names.includes(executionId))).toEqual([]);
  });

  test.each(sorts)('tasks by %s are each given once', async (sort) => {
    const job = `tasks-${sort.replace(/[^a-z]/g, '')}`;
    await api.admin.post('/jobs', named(job));
    const { body } = await api.admin.post(`/jobs/${job}/executions`, { tasks: Array.from({ length: 53 }, () => ({})) });
    const path = `/jobs/${job}/executions/${body.executionId}/tasks`;
    const seen = await walk(api.admin, path, { sort }, [1, 20, 7]);
    expect(new Set(seen.map(({ name: one }) => one)).size).toBe(53);
  });
});

describe('a cursor', () => {
  const workspace = 'cursors';
  let client: Client;
  let cursor: string;
  const query = { sort: 'name:asc', q: 'item', limit: 2 };
  const ask = (path: string, changes: Query = {}, by = client) =>
    by.get(path, { query: { ...query, cursor, ...changes } });
  const refused = async (asked: ReturnType<typeof ask>) => {
    const { status, body, text } = await asked;
    expect([status, body.error], text).toEqual([400, 'invalid_cursor']);
  };

  beforeAll(async () => {
    await api.addWorkspace(workspace);
    await api.addWorkspace('cursors-beside');
    client = api.admin.with({ workspace });
    for (const by of [client, client.with({ workspace: 'cursors-beside' })])
      for (const path of ['/drives', '/volumes'])
        for (let index = 0; index < 5; index += 1) await by.post(path, named(`item-${index}`));
    cursor = (await client.get('/drives', { query })).body.meta.nextCursor;
    expect((await ask('/drives')).status).toBe(200);
  });

  test('is refused when any of its bytes was changed', async () => {
    const letters64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    for (let index = 0; index < cursor.length; index += 1) {
      const at = letters64.indexOf(cursor.charAt(index));
      // An offset of 1 changes the lowest bits, which a lenient decoder drops; an offset of 32 changes the highest.
      for (const far of [1, 32]) {
        const other = letters64.charAt((at + far) % letters64.length);
        await refused(ask('/drives', { cursor: cursor.slice(0, index) + other + cursor.slice(index + 1) }));
      }
    }
  }, 60_000);

  test('is refused when it is cut, extended, doubled or made up', async () => {
    const made = Buffer.from(JSON.stringify({ query: '', issuedAtMs: Date.now(), after: ['', ''] })).toString(
      'base64url',
    );
    const forms = [
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `${cursor} `,
      ` ${cursor}`,
      cursor + cursor,
    ];
    for (const form of [
      ...forms,
      cursor.toUpperCase(),
      'v1.',
      'v1',
      '.',
      made,
      `v1.${made}`,
      '%00',
      '💥',
      'x'.repeat(2048),
    ])
      await refused(ask('/drives', { cursor: form }));
  });

  test('belongs to its workspace, kind, sort, search and filters', async () => {
    await refused(ask('/drives', {}, client.with({ workspace: 'cursors-beside' })));
    await refused(ask('/volumes'));
    for (const sort of sorts.filter((one) => one !== query.sort)) await refused(ask('/drives', { sort }));
    for (const q of ['items', 'ite', '']) await refused(ask('/drives', { q }));
    await refused(ask('/drives', { status: 'DEPLOYING' }));
    await refused(ask('/drives', { externalId: 'x' }));
    await api.admin.with({ workspace }).post('/jobs', named('item'));
    await refused(ask('/jobs/item/executions'));
  });

  test('may go on with another limit, and with the same search in other words', async () => {
    for (const changes of [{ limit: 1 }, { limit: 200 }, { q: ' ITEM ' }])
      expect((await ask('/drives', changes)).status).toBe(200);
  });

  test('continues for any caller that may read the listing', async () => {
    const reader = await api.user({ memberOf: workspace });
    expect((await ask('/drives', {}, reader.client)).status).toBe(200);
  });

  test('ends after 24 hours', async () => {
    const hourMs = 60 * 60 * 1000;
    api.advance(24 * hourMs - 60_000);
    expect((await ask('/drives')).status).toBe(200);
    api.advance(2 * 60_000);
    await refused(ask('/drives'));
    api.advance(-24 * hourMs - 60_000);
  });
});
