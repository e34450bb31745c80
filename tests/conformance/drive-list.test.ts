// GET /drives. Specification: Management endpoints (drive listing query parameters); Limits; Versioning.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Asked } from '../harness/client.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

interface Drive {
  readonly metadata: { readonly name: string; readonly createdAt: string };
}
interface Page {
  readonly data: readonly Drive[];
  readonly meta: { readonly hasMore: boolean; readonly nextCursor: string; readonly total: number };
}
type Query = NonNullable<Asked['query']>;

const hour = 60 * 60 * 1000;
const newest = '2026-04-28';
const olderVersions = ['2026-04-16', '2026-04-20'];

const special: readonly { name: string; displayName?: string; labels?: Record<string, string> }[] = [
  { name: 'zebra-stripe', displayName: 'Quiet Harbour', labels: { 'team/owner': 'Blue Whale' } },
  { name: 'plain-one', displayName: '100% sure' },
  { name: 'plain-two', displayName: '100 under_score' },
  { name: 'plain-three', displayName: 'back\\slash' },
  { name: 'plain-four', displayName: 'Ünïcode ÅÄÖ' },
];
const ordinary = Array.from({ length: 255 }, (_, number) => `bulk-${String(number).padStart(3, '0')}`);
const all = [...special.map(({ name }) => name), ...ordinary];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  for (const metadata of special) await api.admin.post('/drives', { metadata, spec: { size: 1 } });
  for (let from = 0; from < ordinary.length; from += 20)
    await Promise.all(
      ordinary.slice(from, from + 20).map((name) => api.admin.post('/drives', { metadata: { name }, spec: {} })),
    );
  await api.addWorkspace('beside');
  for (const name of ['beside-one', 'beside-two'])
    await api.admin.with({ workspace: 'beside' }).post('/drives', { metadata: { name }, spec: {} });
}, 120_000);
afterAll(() => api[Symbol.asyncDispose]());

const list = (query: Query = {}) => api.admin.get('/drives', { query });
const statusOf = async (query: Query) => (await list(query)).status;
const names = (drives: readonly Drive[]) => drives.map(({ metadata }) => metadata.name);
const found = async (q: string) => names((await list({ q, limit: 200 })).body.data).sort();

async function walk(query: Query = {}): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    expect(status).toBe(200);
    pages.push(body);
    cursor = body.meta.nextCursor === '' ? undefined : body.meta.nextCursor;
  } while (cursor !== undefined && pages.length < 1000);
  return pages;
}

const walked = async (query: Query = {}) => (await walk(query)).flatMap(({ data }) => data);

test('drive-list.page-shape: from 2026-04-28 the answer is data and meta with hasMore, nextCursor and total in their types', async () => {
  const { body } = await api.admin.with({ version: newest }).get('/drives', { query: { limit: 3 } });
  expect(Object.keys(body).sort()).toEqual(['data', 'meta']);
  expect(body.data).toHaveLength(3);
  expect(body.meta).toEqual({ hasMore: true, nextCursor: expect.stringMatching(/./), total: all.length });
  expect(Number.isInteger(body.meta.total)).toBe(true);
  const read = await api.admin.get(`/drives/${body.data[0].metadata.name}`);
  expect(body.data[0]).toEqual(read.body);
  const filtered = await list({ q: 'zebra' });
  expect(filtered.body.meta).toEqual({ hasMore: false, nextCursor: '', total: all.length });
});

test('drive-list.bare-array: before 2026-04-28 the answer is the whole list as a bare array', async () => {
  const expected = await walked();
  for (const version of [undefined, ...olderVersions]) {
    const { status, body } = await api.admin.with({ version }).get('/drives');
    expect(status).toBe(200);
    expect(Array.isArray(body)).toBe(true);
    expect(body, version).toEqual(expected);
  }
});

test('drive-list.query-old-versions: before 2026-04-28 sort, q and the paging parameters change nothing', async () => {
  const { nextCursor } = (await list()).body.meta;
  const queries: Query[] = [
    { sort: 'name:asc' },
    { sort: 'nonsense' },
    { q: 'zebra' },
    { q: 'x'.repeat(201) },
    { limit: 3 },
    { limit: 'many' },
    { cursor: nextCursor },
    { cursor: 'invented' },
    { anchor: 'end' },
    { anchor: 'start' },
    { sort: 'name:desc', q: 'plain', limit: 1, anchor: 'end' },
  ];
  for (const version of olderVersions) {
    const old = api.admin.with({ version });
    const whole = names((await old.get('/drives')).body);
    expect(whole).toHaveLength(all.length);
    for (const query of queries) {
      const { status, body } = await old.get('/drives', { query });
      expect([status, names(body)], JSON.stringify(query)).toEqual([200, whole]);
    }
  }
});

test('drive-list.cursor-walk: following nextCursor from a first page without cursor visits every drive exactly once and ends with an empty nextCursor', async () => {
  for (const limit of [1, 7, 52, 200]) {
    // With a page size of one, only a part of the list is walked, which is faster and proves the same.
    const q: Query = limit === 1 ? { q: 'plain' } : {};
    const expected = limit === 1 ? all.filter((name) => name.includes('plain')) : all;
    const pages = await walk({ limit, ...q });
    expect(names(pages.flatMap(({ data }) => data)).sort()).toEqual([...expected].sort());
    const last = pages.at(-1);
    expect(last?.meta).toEqual({ hasMore: false, nextCursor: '', total: all.length });
    for (const { data, meta } of pages.slice(0, -1)) {
      expect(data).toHaveLength(limit);
      expect(meta).toEqual({ hasMore: true, nextCursor: expect.stringMatching(/./), total: all.length });
    }
  }
  // A cursor is not bound to the page size.
  const first = (await list({ limit: 10 })).body;
  const second = (await list({ limit: 200, cursor: first.meta.nextCursor })).body;
  const third = (await list({ limit: 200, cursor: second.meta.nextCursor })).body;
  expect(names([...first.data, ...second.data, ...third.data]).sort()).toEqual([...all].sort());
  expect(third.meta.hasMore).toBe(false);
});

test('drive-list.cursor-opaque: a cursor that was altered or invented is refused with 400', async () => {
  const cursor: string = (await list()).body.meta.nextCursor;
  expect(await statusOf({ cursor })).toBe(200);
  const flipped = (at: number) => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
  const middle = Math.floor(cursor.length / 2);
  const plain = Buffer.from(JSON.stringify({ after: ['bulk-100', 'x'] })).toString('base64url');
  const altered = [
    ...[4, middle, cursor.length - 4].map(flipped),
    cursor.slice(0, -3),
    `${cursor}AAAA`,
    cursor.slice(3),
    'invented',
    'bulk-100',
    '0',
    plain,
    // An empty cursor was never issued for a next page.
    '',
  ];
  for (const one of altered) expect(await statusOf({ cursor: one }), one).toBe(400);
  expect(cursor).not.toContain('bulk');
  expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('bulk');
});

test('drive-list.cursor-bound: a cursor is refused when the workspace, the filter or the sort differs from the query that issued it', async () => {
  const cursorOf = async (query: Query): Promise<string> => {
    const { nextCursor } = (await list({ ...query, limit: 1 })).body.meta;
    expect(nextCursor).not.toBe('');
    expect(await statusOf({ ...query, cursor: nextCursor })).toBe(200);
    return nextCursor;
  };
  const cursor = await cursorOf({});
  for (const workspace of ['beside']) {
    const elsewhere = await api.admin.with({ workspace }).get('/drives', { query: { cursor } });
    expect(elsewhere.status).toBe(400);
  }
  for (const differing of [
    { q: 'bulk' },
    { status: 'DEPLOYING' },
    { externalId: 'mine' },
    { sort: 'createdAt:asc' },
    { sort: 'name:asc' },
    { sort: 'name:desc' },
  ])
    expect(await statusOf({ ...differing, cursor }), JSON.stringify(differing)).toBe(400);
  const searching = await cursorOf({ q: 'bulk' });
  for (const differing of [{}, { q: 'plain' }, { q: 'bulk-' }, { q: 'bulk', sort: 'name:asc' }])
    expect(await statusOf({ ...differing, cursor: searching }), JSON.stringify(differing)).toBe(400);
  const named = await cursorOf({ sort: 'name:asc' });
  for (const differing of [{}, { sort: 'name:desc' }, { sort: 'name:asc', q: 'bulk' }])
    expect(await statusOf({ ...differing, cursor: named }), JSON.stringify(differing)).toBe(400);
  // Naming the default sort, or a search with the same meaning, is the same query.
  expect(await statusOf({ sort: 'createdAt:desc', cursor })).toBe(200);
  expect(await statusOf({ q: ' BULK ', cursor: searching })).toBe(200);
  const volumes = await api.admin.get('/volumes', { query: { cursor } });
  expect(volumes.status).toBe(400);
});

test('drive-list.limit-default: without limit a page holds 50 drives', async () => {
  const { body } = await list();
  expect([body.data.length, body.meta.hasMore]).toEqual([50, true]);
  const second = await list({ cursor: body.meta.nextCursor });
  expect(second.body.data).toHaveLength(50);
});

test('drive-list.limit-range: limits 1 and 200 are honoured, and a limit below 1 or not an integer is refused with 400', async () => {
  for (const limit of [1, 2, 199, 200]) expect((await list({ limit })).body.data).toHaveLength(limit);
  for (const limit of ['0', '-1', '-200', '1.5', '10.0', '1e2', 'ten', '', ' ', '0x10', 'NaN', 'Infinity', '१'])
    expect(await statusOf({ limit }), `limit=${limit}`).toBe(400);
});

test('drive-list.limit-clamp: a limit above 200 gives a page of 200', async () => {
  for (const limit of ['201', '1000', '2147483648', '9007199254740993', '9'.repeat(40)]) {
    const { status, body } = await list({ limit });
    expect([status, body.data?.length, body.meta?.hasMore], limit).toEqual([200, 200, true]);
  }
});

test('drive-list.sort-orders: each of the four sorts orders the whole walk, createdAt:desc is the default, and any other value is refused with 400', async () => {
  const sorted = async (sort: string) => walked({ sort, limit: 60 });
  const times = (drives: readonly Drive[]) => drives.map(({ metadata }) => metadata.createdAt);
  const ascending = await sorted('createdAt:asc');
  expect(ascending).toHaveLength(all.length);
  expect(times(ascending)).toEqual(times(ascending).toSorted());
  expect(names(ascending).slice(0, special.length)).toEqual(special.map(({ name }) => name));
  const descending = await sorted('createdAt:desc');
  expect(descending).toEqual(ascending.toReversed());
  expect(names(await sorted('name:asc'))).toEqual(all.toSorted());
  expect(names(await sorted('name:desc'))).toEqual(all.toSorted().reverse());
  expect(await walked({ limit: 60 })).toEqual(descending);
  for (const sort of [
    'name',
    'createdAt',
    'updatedAt:desc',
    'name:ASC',
    'NAME:asc',
    'asc',
    '',
    'name:asc,createdAt:asc',
  ])
    expect(await statusOf({ sort }), `sort=${sort}`).toBe(400);
});

test('drive-list.q-searches: q finds a substring of the name, the display name, a label key and a label value, and nothing else', async () => {
  for (const q of [
    'zebra-stripe',
    'bra-str',
    'quiet harbour',
    'iet harb',
    'team/owner',
    'am/ow',
    'blue whale',
    'ue wh',
  ])
    expect(await found(q), q).toEqual(['zebra-stripe']);
  expect(await found('bulk-00')).toEqual(ordinary.slice(0, 10));
  expect(await found('plain')).toEqual(['plain-four', 'plain-one', 'plain-three', 'plain-two']);
  // Special characters of SQL are ordinary characters.
  expect(await found('0%')).toEqual(['plain-one']);
  expect(await found('r_s')).toEqual(['plain-two']);
  expect(await found('k\\s')).toEqual(['plain-three']);
  expect(await found('plain_')).toEqual([]);
  const { body } = await api.admin.get('/drives/zebra-stripe');
  const { spec, status, events, metadata } = body;
  const elsewhere = [spec.infrastructureId, spec.region, status, events[0].message, metadata.workspace];
  for (const q of [...elsewhere, metadata.createdBy, metadata.plan, metadata.url, 'displayname', 'nothing-like-it'])
    expect(await found(q), q).toEqual([]);
  // Text that spans two fields, or a label's key and value, is not a substring of one of them.
  for (const q of [
    'stripequiet',
    'harbourteam',
    'ownerblue',
    'stripe quiet',
    'stripe\nquiet',
    'owner\nblue',
    'owner=blue',
  ])
    expect(await found(q), JSON.stringify(q)).toEqual([]);
});

test('drive-list.q-max: a q of 200 characters is accepted and one of 201 is refused with 400', async () => {
  const longest = await list({ q: 'x'.repeat(200) });
  expect([longest.status, longest.body.data]).toEqual([200, []]);
  expect(await statusOf({ q: '🚢'.repeat(200) })).toBe(200);
  for (const q of ['x'.repeat(201), '🚢'.repeat(201)]) expect(await statusOf({ q })).toBe(400);
});

test('drive-list.q-normalised: q is trimmed and lowercased before it is compared', async () => {
  for (const q of ['ZEBRA', '  zebra', 'zebra\t', '\n Zebra \r', 'QuIeT hArBoUr', 'TEAM/Owner', 'BLUE whale  '])
    expect(await found(q), JSON.stringify(q)).toEqual(['zebra-stripe']);
  expect(await found('ÜNÏC')).toEqual(['plain-four']);
  expect(await found('åäö')).toEqual(['plain-four']);
  // Inner spaces are part of the text.
  expect(await found('quiet  harbour')).toEqual([]);
});

test('drive-list.q-short: a q shorter than two characters after trimming gives the unfiltered listing and two characters already filter', async () => {
  const unfiltered = (await list()).body.data;
  for (const q of ['', 'z', ' ', '  z  ', '%', '_', '\t', '🚢'])
    expect((await list({ q })).body.data, JSON.stringify(q)).toEqual(unfiltered);
  expect(await found('ze')).toEqual(['zebra-stripe']);
  expect(await found(' ZE ')).toEqual(['zebra-stripe']);
  expect(await found('zz')).toEqual([]);
  expect(await found('%%')).toEqual([]);
  expect(await found('__')).toEqual([]);
  // A cursor of the unfiltered listing stays valid with a search too short to filter.
  const { nextCursor } = (await list()).body.meta;
  expect(await statusOf({ q: 'z', cursor: nextCursor })).toBe(200);
});

test('drive-list.anchor-end: anchor=end returns the oldest page in descending order', async () => {
  const descending = await walked({ limit: 200 });
  for (const [query, size] of [
    [{}, 50],
    [{ limit: 3 }, 3],
    [{ limit: 200, sort: 'createdAt:desc' }, 200],
  ] as const) {
    const { body } = await list({ ...query, anchor: 'end' });
    expect(body.data).toEqual(descending.slice(-size));
    expect(body.meta).toEqual({ hasMore: false, nextCursor: '', total: all.length });
  }
  const searched = await list({ anchor: 'end', q: 'plain', limit: 2 });
  expect(names(searched.body.data)).toEqual(['plain-two', 'plain-one']);
});

test('drive-list.anchor-refused: an anchor other than end, or with a sort other than createdAt:desc, is refused with 400', async () => {
  for (const anchor of ['start', 'END', '', 'end ', '1']) expect(await statusOf({ anchor }), anchor).toBe(400);
  for (const sort of ['createdAt:asc', 'name:asc', 'name:desc'])
    expect(await statusOf({ anchor: 'end', sort }), sort).toBe(400);
  // A cursor and `anchor=end` exclude each other.
  const { nextCursor } = (await list()).body.meta;
  expect(await statusOf({ anchor: 'end', cursor: nextCursor })).toBe(400);
});

// Runs last, because it moves the clock.
test('drive-list.cursor-age: a cursor is accepted until it is 24 hours old and refused after that', async () => {
  const { nextCursor } = (await list()).body.meta;
  const second = (await list({ cursor: nextCursor })).body.data;
  api.advance(24 * hour - 60_000);
  const late = await list({ cursor: nextCursor });
  expect([late.status, late.body.data]).toEqual([200, second]);
  api.advance(61_000);
  expect(await statusOf({ cursor: nextCursor })).toBe(400);
  // The age of a cursor counts from its own page, not from the first page of the walk.
  expect(await statusOf({ cursor: late.body.meta.nextCursor })).toBe(200);
});
