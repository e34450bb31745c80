import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { type LedgerRow, type MetricsQuery, openUsage, type Usage } from '@berth/usage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hoursOf } from './reference-ledger.ts';
import { someRow } from './some-rows.ts';
import { startUsage, type TestUsage } from './start-usage.ts';

let running: TestUsage;
beforeAll(async () => {
  running = await startUsage();
});
afterAll(() => running[Symbol.asyncDispose]());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const at = Date.UTC(2028, 1, 29, 22);
const compute = 'sandbox_compute_runtime_gbs';
/** 1 USD for 10⁶ units, so that cost and usage have the same digits. */
const prices = [{ dimension: compute, fromMs: 0, attoUsd: 10n ** 12n }] as const;

const ask = (
  row: LedgerRow,
  changes: Partial<MetricsQuery> = {},
  { metrics }: Pick<Usage, 'metrics'> = running.usage,
) =>
  metrics.query({
    ...{ accountId: row.accountId, fromMs: at, toMs: at + hourMs, resolution: 'hourly', groupBy: [], filters: {} },
    ...{ dirtyHoursMs: [], prices, limit: 100, ...changes },
  });

/** Access with a setting of ClickHouse. */
function openSlowly(setting: string) {
  const logger = createLogger({ role: 'test' }, { level: 'error' });
  const usage = openUsage({ url: `${running.engine.url}?ch_${setting}`, logger, makesTables: false });
  return { usage, [Symbol.asyncDispose]: () => usage.close() };
}

async function writeAndClose(...rows: LedgerRow[]): Promise<void> {
  await running.usage.ledger.write(rows);
  const [{ accountId }] = rows as [LedgerRow];
  await Promise.all(
    hoursOf(rows).map((each) => running.usage.ledger.closeHour({ accountId, hourMs: each, prices, version: 1 })),
  );
}

/** Rows of one resource, a second of 1 GB at each of the times. */
const secondsAt = (...times: number[]): LedgerRow[] => {
  const row = someRow({ rate: 2 ** 20 });
  return times.map((fromMs, interval) => ({ ...row, fromMs, toMs: fromMs + 1_000, interval }));
};

const second = 1_000_000n;

const days = (text: string): number => Date.parse(`${text}T00:00:00Z`);

// Tests with accounts of their own run at the same time: each write waits a quarter of a second for more rows.
test.concurrent.each([
  ['daily', ['2028-02-28', '2028-02-29', '2028-03-01'], ['2028-02-28', '2028-02-29', '2028-03-01']],
  ['weekly', ['2028-02-27', '2028-02-28', '2028-03-05', '2028-03-06'], ['2028-02-21', '2028-02-28', '2028-03-06']],
  ['weekly', ['2028-12-31', '2029-01-01'], ['2028-12-25', '2029-01-01']],
  ['monthly', ['2028-01-31', '2028-02-01', '2028-02-29', '2028-03-01'], ['2028-01-01', '2028-02-01', '2028-03-01']],
] as const)('%s buckets of %j begin on %j', async (resolution, used, starts) => {
  // The first and the last second of each day, partly closed.
  const rows = secondsAt(...used.flatMap((day) => [days(day), days(day) + dayMs - 1_000]));
  const [row] = rows as [LedgerRow];
  await writeAndClose(...rows);
  const window = { fromMs: days('2028-01-01'), toMs: days('2029-02-01'), resolution };
  const { total, groups } = await ask(row, { ...window, dirtyHoursMs: hoursOf(rows).slice(0, 2) });
  expect(groups[0]?.buckets.map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10))).toEqual(starts);
  expect(total.micro).toBe(BigInt(rows.length) * second);
});

test.concurrent('the first bucket begins with the window, and edges inside an hour cut its usage', async () => {
  const row = someRow({ rate: 2 ** 20 });
  await writeAndClose(
    row,
    { ...row, fromMs: at + hourMs, toMs: at + 2 * hourMs },
    { ...row, fromMs: at - hourMs, toMs: at },
  );
  const cut = async (fromMs: number, toMs: number, resolution: MetricsQuery['resolution'] = 'hourly') => {
    const { groups } = await ask(row, { fromMs, toMs, resolution });
    return groups[0]?.buckets.map(({ startMs, micro }) => [startMs - at, Number(micro)]);
  };
  expect(await cut(at + 1, at + 2)).toEqual([[1, 1_000]]);
  expect(await cut(at - 1, at + hourMs + 1)).toEqual([
    [-1, 1_000],
    [0, 3_600_000_000],
    [hourMs, 1_000],
  ]);
  expect(await cut(at - 1, at + 1, 'weekly')).toEqual([[-1, 2_000]]);
  expect(await cut(at, at + hourMs, 'monthly')).toEqual([[0, 3_600_000_000]]);
  expect(await cut(at + 600_000, at + 1_200_000, 'monthly')).toEqual([[600_000, 600_000_000]]);
});

test.concurrent('an event belongs to the window that holds its moment', async () => {
  const moment = at + 1_800_000;
  const agent = { dimension: 'agent_async_requests_count', resourceType: 'agent', rate: 0 } as const;
  const row = someRow({ ...agent, amount: 3, fromMs: moment, toMs: moment });
  await running.usage.ledger.write([row]);
  const counted = async (fromMs: number, toMs: number) =>
    (await ask(row, { fromMs, toMs, dirtyHoursMs: [at] })).total.micro;
  expect(await counted(moment, moment + 1)).toBe(3_000_000n);
  expect(await counted(at, moment)).toBe(0n);
  expect(await counted(moment + 1, at + hourMs)).toBe(0n);
  expect(await counted(at, at + hourMs)).toBe(3_000_000n);
});

test.concurrent('a window of any length is answered: before 1970, after 2106, in the future, without time', async () => {
  const [row] = secondsAt(at) as [LedgerRow];
  await writeAndClose(row);
  const edges = { first: Date.parse('0001-01-01T00:00:00Z'), last: Date.parse('9999-12-31T23:59:59.999Z') };
  const all = { fromMs: edges.first, toMs: edges.last, resolution: 'monthly' } as const;
  expect(await ask(row, all)).toMatchObject({ total: { micro: second }, groups: [{ buckets: [{ micro: second }] }] });
  for (const [fromMs, toMs] of [
    [edges.first, edges.first + 1],
    [edges.last - 1, edges.last],
    [at + dayMs, at + 2 * dayMs],
    [at, at],
  ] as const) {
    const nothing = { micro: 0n, pico: 0n };
    expect(await ask(row, { fromMs, toMs })).toMatchObject({ total: nothing, groups: [{ ...nothing, buckets: [] }] });
    expect(await ask(row, { fromMs, toMs, groupBy: ['workspace'] })).toMatchObject({ total: nothing, groups: [] });
    expect(await running.usage.metrics.resourceTypes({ accountId: row.accountId, fromMs, toMs })).toEqual([]);
  }
});

test.concurrent('fields of a group are those that its dimensions fill', async () => {
  const row = someRow();
  await writeAndClose(row);
  const { workspace, resourceType, resourceName, resourceUid: resourceUuid, dimension: billingDimension } = row;
  const fields = async (...groupBy: MetricsQuery['groupBy']) => {
    const [group] = (await ask(row, { groupBy })).groups;
    const names = ['workspace', 'resourceType', 'resourceName', 'resourceUuid', 'billingDimension'] as const;
    return Object.fromEntries(names.flatMap((name) => (group?.[name] === undefined ? [] : [[name, group[name]]])));
  };
  expect(await fields()).toEqual({});
  expect(await fields('workspace')).toEqual({ workspace });
  expect(await fields('resource_type')).toEqual({ resourceType });
  expect(await fields('resource_name')).toEqual({ workspace, resourceType, resourceName });
  expect(await fields('resource_uuid')).toEqual({ workspace, resourceType, resourceName, resourceUuid });
  expect(await fields('billing_dimension')).toEqual({ resourceType, billingDimension });
  expect(await fields('billing_dimension', 'workspace')).toEqual({ workspace, resourceType, billingDimension });
});

test.concurrent('a name is another group in another workspace and type, also where workspaces have the same name', async () => {
  const row = someRow();
  const agent = { resourceType: 'agent', dimension: 'agent_compute_runtime_gbs', source: uuidv7() } as const;
  const recreated = { workspaceId: uuidv7(), source: uuidv7() };
  await writeAndClose(
    row,
    { ...row, ...agent },
    { ...row, ...recreated },
    { ...row, resourceUid: uuidv7(), source: uuidv7() },
  );
  const count = async (...groupBy: MetricsQuery['groupBy']) => (await ask(row, { groupBy })).groups.length;
  expect(await count('resource_name')).toBe(3);
  expect(await count('resource_uuid')).toBe(4);
  expect(await count('workspace')).toBe(2);
  expect(await count('resource_type')).toBe(2);
});

test.concurrent('groups are sorted by cost, then key; pages hold each group once, and the total on each', async () => {
  const row = someRow();
  const names = ['b', 'a', 'c', 'é', '\u{1f600}', 'dear'];
  const rows = names.map((resourceName) => ({ ...row, resourceName, resourceUid: uuidv7(), source: uuidv7() }));
  await writeAndClose(...rows.map((each) => (each.resourceName === 'dear' ? { ...each, rate: 2 ** 30 } : each)));
  const query = { groupBy: ['resource_name'], limit: 2 } as const;
  const pages = [await ask(row, query)];
  while (pages.at(-1)?.hasMore) pages.push(await ask(row, { ...query, after: pages.at(-1)?.last }));
  expect(pages.map(({ groups }) => groups.map(({ resourceName }) => resourceName))).toEqual([
    ['dear', 'a'],
    ['b', 'c'],
    ['é', '\u{1f600}'],
  ]);
  expect(new Set(pages.map(({ total }) => total.pico)).size).toBe(1);
  const beyond = await ask(row, { ...query, after: pages.at(-1)?.last });
  expect(beyond).toEqual({ total: pages[0]?.total, groups: [], hasMore: false, last: undefined });
  // The position of any group continues after it, not only that of the last.
  const [first] = pages[1]?.groups ?? [];
  expect((await ask(row, { ...query, after: first })).groups[0]?.resourceName).toBe('c');
});

test.concurrent('filters choose rows alike in closed and in dirty hours', async () => {
  const hostile = "it's \\ {x:String} \n %";
  const row = someRow({ resourceName: hostile, workspace: hostile });
  const others = [
    { workspaceId: uuidv7(), workspace: 'other' },
    { resourceName: 'other' },
    { resourceType: 'job', dimension: 'job_compute_runtime_gbs' },
    { dimension: 'sandbox_image_storage_gbs' },
  ] as const;
  await writeAndClose(
    row,
    ...others.map((changes) => ({ ...row, resourceUid: uuidv7(), source: uuidv7(), ...changes })),
  );
  const chosen = async (filters: MetricsQuery['filters'], changes: Partial<MetricsQuery> = {}) => {
    const [closed, dirty] = await Promise.all(
      [[], [at]].map((dirtyHoursMs) => ask(row, { ...changes, filters, dirtyHoursMs })),
    );
    expect(dirty).toEqual(closed);
    return Number(closed?.total.micro) / 14_400_000_000;
  };
  expect(await chosen({})).toBe(5);
  expect(await chosen({ workspace: hostile })).toBe(4);
  expect(await chosen({ resourceName: hostile })).toBe(4);
  expect(await chosen({ resourceType: 'sandbox' })).toBe(4);
  expect(await chosen({ billingDimension: compute })).toBe(3);
  expect(await chosen({ resourceUuid: row.resourceUid })).toBe(1);
  expect(await chosen({ resourceUuid: row.resourceUid.toUpperCase() })).toBe(1);
  expect(await chosen({ resourceUuid: hostile })).toBe(0);
  expect(await chosen({ resourceUuid: '00000000-0000-0000-0000-000000000000' })).toBe(0);
  expect(await chosen({ workspace: hostile, resourceName: hostile, billingDimension: compute })).toBe(1);
  expect(await chosen({ workspace: "') OR 1 --" })).toBe(0);
  expect(await chosen({}, { workspaceIds: [row.workspaceId] })).toBe(4);
  expect(await chosen({ workspace: 'other' }, { workspaceIds: [row.workspaceId] })).toBe(0);
  expect(await chosen({}, { workspaceIds: [] })).toBe(0);
});

test.concurrent('the id of an instance finds its usage, before and after the hour is closed', async () => {
  const row = someRow();
  await writeAndClose(row, { ...row, source: uuidv7() });
  const filters = { resourceUuid: row.source };
  expect((await ask(row, { filters, dirtyHoursMs: [at] })).total.micro).toBe(14_400_000_000n);
  expect((await ask(row, { filters })).total.micro).toBe((await ask(row, { filters, dirtyHoursMs: [at] })).total.micro);
  expect((await ask(row, { filters, toMs: at + hourMs / 2 })).total.micro).toBe(7_200_000_000n);
});

test.concurrent('an account never gets rows of another', async () => {
  const row = someRow();
  await writeAndClose(row);
  const stranger = { ...row, accountId: uuidv7() };
  for (const dirtyHoursMs of [[], [at]]) {
    expect((await ask(stranger, { dirtyHoursMs, workspaceIds: [row.workspaceId] })).total.micro).toBe(0n);
    expect((await ask(stranger, { dirtyHoursMs, filters: { resourceUuid: row.resourceUid } })).total.micro).toBe(0n);
  }
});

test.concurrent('rows of an hour that is neither closed nor dirty are not shown; late rows of a closed hour are when it is dirty', async () => {
  const row = someRow();
  await running.usage.ledger.write([row]);
  expect((await ask(row)).total.micro).toBe(0n);
  await writeAndClose(row);
  await running.usage.ledger.write([{ ...row, source: uuidv7() }]);
  expect((await ask(row)).total.micro).toBe(14_400_000_000n);
  expect((await ask(row, { dirtyHoursMs: [at - hourMs, at, at + hourMs] })).total.micro).toBe(28_800_000_000n);
});

test.concurrent('an hour that was closed several times counts once, with the figures of the last', async () => {
  const row = someRow();
  await writeAndClose(row);
  for (const version of [2, 3, 4]) {
    await running.usage.ledger.write([{ ...row, interval: version }]);
    await running.usage.ledger.closeHour({ accountId: row.accountId, hourMs: at, prices, version });
    const micro = BigInt(version) * 14_400_000_000n;
    for (const groupBy of [[], ['workspace']] as const)
      expect(await ask(row, { groupBy })).toMatchObject({
        total: { micro },
        groups: [{ micro, buckets: [{ micro }] }],
      });
  }
});

test('total, groups and buckets agree while rows arrive between two readings of one statement', async () => {
  const row = someRow();
  await running.usage.ledger.write([row]);
  // ClickHouse waits before it takes a snapshot, so rows arrive before a second one.
  await using slow = openSlowly('merge_tree_storage_snapshot_sleep_ms=200');
  let isAnswered = false;
  const query = { groupBy: ['resource_name'], resolution: 'daily', dirtyHoursMs: [at] } as const;
  const answer = ask(row, query, slow.usage).finally(() => {
    isAnswered = true;
  });
  let interval = 1;
  for (; !isAnswered; interval += 1) await running.usage.ledger.write([{ ...row, interval }]);
  const { total, groups } = await answer;
  expect(total.micro).toBeGreaterThan(0n);
  expect(groups).toMatchObject([{ ...total, buckets: [total] }]);
});

test.concurrent('sums beyond 64 bits are exact', async () => {
  const row = someRow({ rate: 2 ** 40 });
  const each = [{ dimension: compute, fromMs: 0, attoUsd: 5n * 10n ** 14n }] as const;
  const rows = [0, 1, 2].map((hour) => ({
    ...row,
    fromMs: at + hour * hourMs,
    toMs: at + (hour + 1) * hourMs,
    interval: hour,
  }));
  const others = rows.map((another) => ({ ...another, resourceUid: uuidv7(), source: uuidv7() }));
  await running.usage.ledger.write([...rows, ...others]);
  const window = {
    toMs: at + 3 * hourMs,
    resolution: 'monthly',
    prices: each,
    dirtyHoursMs: rows.map(({ fromMs }) => fromMs),
  } as const;
  const pico = 6n * 2n ** 20n * 3_600n * 10n ** 6n * 500n;
  expect(pico).toBeGreaterThan(2n ** 63n);
  expect(await ask(row, window)).toMatchObject({ total: { pico }, groups: [{ pico }] });
});

test.concurrent('types are those with usage in the window, closed or not, sorted', async () => {
  const { accountId, ...row } = someRow({ fromMs: at + 1_000, toMs: at + 2_000 });
  const agent = {
    resourceType: 'agent',
    dimension: 'agent_async_requests_count',
    rate: 0,
    toMs: row.fromMs,
    amount: 1,
  } as const;
  const closed = { ...row, accountId, resourceType: 'job', dimension: 'job_compute_runtime_gbs' } as const;
  const foreign = { ...row, accountId: uuidv7(), resourceType: 'volume', dimension: 'volume_storage_gbs' } as const;
  await writeAndClose(closed);
  await running.usage.ledger.write([
    { ...row, accountId },
    { ...row, accountId, ...agent, workspaceId: uuidv7() },
    foreign,
  ]);
  const types = (fromMs: number, toMs: number, workspaceIds?: string[]) =>
    running.usage.metrics.resourceTypes({ accountId, fromMs: at + fromMs, toMs: at + toMs, workspaceIds });
  expect(await types(0, hourMs)).toEqual(['agent', 'job', 'sandbox']);
  expect(await types(-dayMs, dayMs, [row.workspaceId])).toEqual(['job', 'sandbox']);
  expect(await types(0, hourMs, [])).toEqual([]);
  expect(await types(1_000, 1_001)).toEqual(['agent', 'job', 'sandbox']);
  expect(await types(1_001, 1_002)).toEqual(['job', 'sandbox']);
  expect(await types(0, 1_000)).toEqual([]);
  expect(await types(2_000, hourMs)).toEqual([]);
  expect(await types(hourMs, dayMs)).toEqual([]);
});
