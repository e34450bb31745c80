// Pages of billing metrics. Specification: Billing metrics, Limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Billing, startBilling } from './support/billing.ts';

const resources = 230;
let billing: Billing;
/** Pairs of sandboxes cost the same, so that only their key orders them. Each has two dimensions. */
const boxes = Array.from({ length: resources }, (_, index) => ({
  ...{ workspace: index % 3 === 0 ? 'other' : 'main', resourceName: `box-${index}`, hour: 5 },
  amount: 1 + Math.floor(index / 2),
}));

beforeAll(async () => {
  billing = await startBilling([
    ...boxes.map((box) => ({ ...box, billingDimension: 'sandbox_compute_runtime_gbs' as const })),
    ...boxes.map((box) => ({ ...box, billingDimension: 'sandbox_image_storage_gbs' as const })),
  ]);
});
afterAll(() => billing[Symbol.asyncDispose]());

type Query = Readonly<Record<string, string | number>>;

/** All pages of a query. */
async function walk(query: Query, limits: readonly (number | undefined)[]) {
  const pages = [];
  let cursor: string | undefined;
  for (let index = 0; index < 1000; index += 1) {
    const limit = limits[index % limits.length];
    const asked = { ...query, ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
    const { status, body, text } = await billing.ask(asked);
    expect(status, text).toBe(200);
    pages.push(body);
    if (!body.meta.hasMore) return pages;
    cursor = body.meta.nextCursor;
  }
  throw new Error('the walk does not end');
}

const byUuid = { groupBy: 'resource_uuid' };

test('billing-pages.limit: limit pages grouped results, 100 by default and at most, and less than 1 gives 400', async () => {
  for (const [limit, count] of [
    [1, 1],
    [99, 99],
    [100, 100],
    [101, 100],
    [99_999_999_999, 100],
  ] as const)
    expect([limit, (await billing.ask({ ...byUuid, limit })).body.data.length]).toEqual([limit, count]);
  expect((await billing.ask(byUuid)).body.data).toHaveLength(100);
  for (const limit of [0, -1, '1.5', 'ten', ''])
    expect([limit, (await billing.ask({ ...byUuid, limit })).status]).toEqual([limit, 400]);
});

test('billing-pages.metrics-limit: a page has at most 100 entries, and the next pages have the rest', async () => {
  for (const limit of [undefined, 100, 1_000_000])
    expect((await walk(byUuid, [limit])).map(({ data }) => data.length)).toEqual([100, 100, 30]);
});

test('billing-pages.cursor: the cursor of the last answer is opaque and fits no other query, and a made-up or changed one gives 400', async () => {
  const query = { ...billing.window(), ...byUuid, limit: 10 };
  const { nextCursor } = (await billing.ask(query)).body.meta;
  const second = (await billing.ask({ ...query, cursor: nextCursor })).body;
  expect(second.data).toHaveLength(10);
  // Neither names nor numbers of the bill can be read in it.
  for (const text of [nextCursor, Buffer.from(nextCursor.split('.')[1], 'base64url').toString('latin1')])
    expect(text).not.toMatch(/box-|main|pico|[0-9a-f]{8}-[0-9a-f]{4}-/);
  const refused = [
    { cursor: `${nextCursor.slice(0, -4)}AAAA` },
    { cursor: 'v1.AAAA' },
    { cursor: Buffer.from('{"offset":10}').toString('base64url') },
    { cursor: nextCursor, groupBy: 'resource_name' },
    { cursor: nextCursor, workspace: 'main' },
    { cursor: nextCursor, resourceType: 'sandbox' },
    { cursor: nextCursor, resolution: 'weekly' },
    { cursor: nextCursor, ...billing.window(0, 24) },
  ];
  for (const change of refused) {
    const { status, body } = await billing.ask({ ...query, ...change });
    expect([change, status, body.error]).toEqual([change, 400, 'invalid_cursor']);
  }
  const member = await billing.api.user({ memberOf: 'main' });
  expect((await billing.ask({ ...query, cursor: nextCursor }, member.client)).status).toBe(400);
  const listing = (await billing.api.admin.get('/vpcs', { query: { limit: 1 } })).body.meta?.nextCursor ?? 'none';
  expect((await billing.ask({ ...query, cursor: listing })).status).toBe(400);
});

test('billing-pages.meta: meta says whether there is more, and nextCursor is empty exactly when there is not', async () => {
  const pages = await walk(byUuid, [100]);
  expect(pages.map(({ meta }) => [meta.hasMore, meta.nextCursor === ''])).toEqual([
    [true, false],
    [true, false],
    [false, true],
  ]);
  for (const query of [{}, { groupBy: 'workspace' }, { groupBy: 'billing_dimension', limit: 2 }])
    expect((await billing.ask(query)).body.meta).toEqual({ hasMore: false, nextCursor: '' });
  const exact = await walk(byUuid, [resources / 2 - 15]);
  expect(exact.map(({ data }) => data.length)).toEqual([100, 100, 30]);
});

test('billing-pages.pagination: nextCursor goes back as cursor, also for composite groups: every group comes once, highest cost first, and the summary stays', async () => {
  for (const [groupBy, count] of [
    ['resource_uuid', resources],
    ['resource_name', resources],
    ['billing_dimension,resource_uuid', 2 * resources],
    ['workspace,resource_name,billing_dimension', 2 * resources],
  ] as const) {
    const [whole, ...others] = [
      await walk({ groupBy }, [100]),
      await walk({ groupBy }, [37]),
      await walk({ groupBy }, [100, 1, 64]),
    ].map((pages) => ({ entries: pages.flatMap(({ data }) => data), summaries: pages.map(({ summary }) => summary) }));
    expect(whole?.entries).toHaveLength(count);
    for (const other of others) expect(other.entries).toEqual(whole?.entries);
    const keys = whole?.entries.map(({ summary, timeseries, ...key }) => JSON.stringify(key));
    expect(new Set(keys).size).toBe(count);
    const costs = whole?.entries.map(({ summary }) => summary.cost) ?? [];
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    const summaries = [whole, ...others].flatMap((walked) => walked?.summaries ?? []);
    for (const summary of summaries) expect(summary).toEqual(summaries[0]);
  }
});
