import { uuidv7 } from '@berth/database';
import { type LedgerRow, type PriceStep, splitAtHours, UsageUnavailable } from '@berth/usage';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { referenceHours } from './reference-ledger.ts';
import { someRow } from './some-rows.ts';
import { startUsage, type TestUsage } from './start-usage.ts';

let running: TestUsage;
beforeAll(async () => {
  running = await startUsage();
});
afterAll(() => running[Symbol.asyncDispose]());

const hourMs = 3_600_000;
const at = Date.UTC(2028, 1, 29, 22);
const compute = 'sandbox_compute_runtime_gbs';
const prices: readonly PriceStep[] = [{ dimension: compute, fromMs: 0, attoUsd: 11_500_000_000_000n }];

const write = (...rows: LedgerRow[]) => running.usage.ledger.write(rows);
const close = (
  { accountId }: LedgerRow,
  version = 1,
  changes: { prices?: readonly PriceStep[]; hourMs?: number } = {},
) => running.usage.ledger.closeHour({ accountId, hourMs: at, prices, version, ...changes });

const closedRows = async ({ accountId }: LedgerRow) => {
  const { total } = await running.usage.metrics.query({
    ...{ accountId, fromMs: at, toMs: at + hourMs, resolution: 'hourly', groupBy: [], filters: {} },
    ...{ dirtyHoursMs: [], prices: [], limit: 1 },
  });
  return total;
};

// Tests with accounts of their own run at the same time: each write waits a quarter of a second for more rows.
test.concurrent('an hour of 4 GB costs 14 400 GB-seconds times the price', async () => {
  const row = someRow();
  await write(row);
  expect(await close(row)).toEqual({ rows: 1, micro: 14_400_000_000n, pico: 165_600_000_000n });
});

test.concurrent('a row that is written again, in an older or a newer state, counts once with its longest state', async () => {
  const row = someRow();
  const short = { ...row, toMs: row.fromMs + 60_000 };
  await write(row, short, row);
  await write(short);
  await write(row);
  await write(short, short);
  expect(await close(row)).toMatchObject({ rows: 1, micro: 14_400_000_000n });
  const later = someRow();
  await write({ ...later, toMs: later.fromMs + 60_000 });
  expect(await close(later)).toMatchObject({ micro: 240_000_000n });
  await write(later);
  expect(await close(later, 2)).toMatchObject({ micro: 14_400_000_000n });
});

test.concurrent('rows that differ in hour, dimension, source, interval or part count beside each other', async () => {
  const row = someRow();
  await write(
    row,
    { ...row, source: uuidv7() },
    { ...row, interval: 1 },
    { ...row, part: 1 },
    { ...row, dimension: 'sandbox_snapshot_storage_gbs' },
    { ...row, fromMs: row.toMs, toMs: row.toMs + hourMs },
  );
  expect(await close(row)).toEqual({ rows: 2, micro: 72_000_000_000n, pico: 662_400_000_000n });
  expect(await close(row, 1, { hourMs: at + hourMs })).toMatchObject({ rows: 1, micro: 14_400_000_000n });
});

test.concurrent('usage is rounded once for an hour of a resource, not for each of its rows', async () => {
  // A third of 10⁻⁶ GB-seconds each would be nothing in rows of their own.
  const row = someRow({ toMs: at + 1, rate: 350 });
  await write(row, { ...row, interval: 1 }, { ...row, source: uuidv7() });
  expect(await close(row)).toMatchObject({ rows: 1, micro: 1n });
  const alone = someRow({ toMs: at + 1, rate: 350 });
  await write(alone, { ...alone, resourceUid: uuidv7(), source: uuidv7() });
  expect(await close(alone)).toEqual({ rows: 0, micro: 0n, pico: 0n });
  // Halves are rounded up.
  const half = someRow({ toMs: at + 1, rate: 2 ** 19 });
  await write(half, { ...half, resourceUid: uuidv7(), source: uuidv7(), rate: 2 ** 19 - 525 });
  expect(await close(half)).toMatchObject({ rows: 2, micro: 500n + 499n });
});

test.concurrent('events are counted, and hours are measured in hours', async () => {
  const event = { resourceType: 'agent', dimension: 'agent_async_requests_count', rate: 0, toMs: at } as const;
  const [one] = [someRow({ fromMs: at, ...event, amount: 7 })];
  const domain = someRow({
    ...{ accountId: one.accountId, resourceType: 'custom_domain', dimension: 'custom_domain_active_time_hours' },
    ...{ rate: 1, toMs: at + hourMs / 3 },
  });
  await write(one, one, { ...one, source: uuidv7(), amount: 1 }, domain);
  const each = [
    { dimension: event.dimension, fromMs: 0, attoUsd: 200_000_000_000n },
    { dimension: domain.dimension, fromMs: 0, attoUsd: 10n ** 18n },
  ];
  expect(await close(one, 1, { prices: each })).toEqual({
    ...{ rows: 2, micro: 8_000_000n + 333_333n, pico: 1_600_000n + 333_333_000_000n },
  });
});

test.concurrent('the price is that of the hour; a later price does not change what is closed', async () => {
  const row = someRow();
  const steps = [
    { dimension: compute, fromMs: at + hourMs, attoUsd: 3n * 10n ** 12n },
    { dimension: compute, fromMs: at, attoUsd: 2n * 10n ** 12n },
    { dimension: compute, fromMs: 0, attoUsd: 10n ** 12n },
    { dimension: 'job_compute_runtime_gbs', fromMs: at, attoUsd: 10n ** 18n },
  ] as const;
  await write(row, { ...row, fromMs: row.toMs, toMs: row.toMs + hourMs });
  expect(await close(row, 1, { prices: steps })).toMatchObject({ pico: 28_800_000_000n });
  expect(await close(row, 1, { prices: steps, hourMs: at + hourMs })).toMatchObject({ pico: 43_200_000_000n });
  expect(await closedRows(row)).toEqual({ micro: 14_400_000_000n, pico: 28_800_000_000n });
  expect(await close(someRow(), 1, { prices: [] })).toEqual({ rows: 0, micro: 0n, pico: 0n });
});

test.concurrent('a resource without a price has usage and no cost', async () => {
  const row = someRow();
  await write(row);
  expect(await close(row, 1, { prices: [] })).toEqual({ rows: 1, micro: 14_400_000_000n, pico: 0n });
});

test.concurrent('an hour that is closed again, also twice at once, has the figures of the highest version', async () => {
  const row = someRow();
  await write(row);
  const first = await close(row, 5);
  expect(await Promise.all([close(row, 5), close(row, 5), close(row, 4, { prices: [] })])).toContainEqual(first);
  expect(await close(row, 3, { prices: [] })).toEqual(first);
  await write({ ...row, source: uuidv7() });
  expect(await close(row, 6)).toEqual({ rows: 1, micro: 28_800_000_000n, pico: 331_200_000_000n });
});

test.concurrent('an hour of another account has no part in it', async () => {
  const row = someRow();
  await write(row, { ...row, accountId: uuidv7() });
  expect(await close(row)).toMatchObject({ rows: 1, micro: 14_400_000_000n });
  expect(await close(someRow())).toEqual({ rows: 0, micro: 0n, pico: 0n });
});

test.concurrent('figures beyond 53 bits are exact, and those beyond 64 bits stay at the largest', async () => {
  const row = someRow({ rate: 2 ** 40 - 1, toMs: at + 3_599_999 });
  const price = [{ dimension: compute, fromMs: 0, attoUsd: 123_456_789_012_345n }] as const;
  await write(row);
  const [hour] = referenceHours([row], { fromMs: at, toMs: at + hourMs }, price);
  expect(hour?.micro).toBeGreaterThan(2n ** 51n);
  expect(hour?.pico).toBeGreaterThan(2n ** 58n);
  expect(await close(row, 1, { prices: price })).toEqual({ rows: 1, micro: hour?.micro, pico: hour?.pico });
  const huge = [{ dimension: compute, fromMs: 0, attoUsd: 10n ** 38n - 1n }] as const;
  expect(await close(row, 2, { prices: huge })).toMatchObject({ micro: hour?.micro, pico: 2n ** 63n - 1n });
});

test.concurrent('writing nothing stores nothing', async () => {
  await expect(write()).resolves.toBeUndefined();
});

test('an acknowledged row survives a kill; while ClickHouse is away every call says so', async () => {
  const row = someRow();
  await write(row);
  await running.engine.kill();
  const { accountId } = row;
  const window = { accountId, fromMs: at, toMs: at + hourMs };
  await expect(write(row)).rejects.toBeInstanceOf(UsageUnavailable);
  await expect(close(row)).rejects.toBeInstanceOf(UsageUnavailable);
  await expect(running.usage.metrics.resourceTypes(window)).rejects.toBeInstanceOf(UsageUnavailable);
  await expect(closedRows(row)).rejects.toBeInstanceOf(UsageUnavailable);
  await running.engine.start();
  expect(await close(row)).toMatchObject({ rows: 1, micro: 14_400_000_000n });
});

test('a faulty row or parameter is no outage, and does not look like one', async () => {
  const outage = expect.any(UsageUnavailable);
  for (const call of [
    () => write(someRow({ source: 'no uuid' })),
    () => close(someRow({ accountId: 'no uuid' })),
    () => closedRows(someRow({ accountId: 'no uuid' })),
  ])
    await expect(call()).rejects.not.toEqual(outage);
  expect(await running.usage.ready()).toBe(true);
});

test('a ClickHouse that lost its tables gets them again', async () => {
  const client = createClient({ url: running.engine.url });
  await running.usage.migrate();
  for (const table of ['usage_intervals', 'usage_hours']) await client.command({ query: `DROP TABLE ${table} SYNC` });
  await client.close();
  const row = someRow();
  await expect(write(row)).rejects.toBeInstanceOf(UsageUnavailable);
  await write(row);
  expect(await close(row)).toMatchObject({ rows: 1 });
});

test.concurrent('an interval over many hours has the same usage cut at hours as in one piece', async () => {
  const row = someRow({ rate: 2 ** 20 });
  const period = { fromMs: at + 1_234_567, toMs: at + 6 * hourMs + 7_000 };
  await write(...splitAtHours(period).map((piece) => ({ ...row, ...piece })));
  const hours = Array.from({ length: 7 }, (_, index) => at + index * hourMs);
  const closed = await Promise.all(hours.map((each) => close(row, 1, { hourMs: each })));
  expect(closed.reduce((sum, { micro }) => sum + micro, 0n)).toBe(BigInt(period.toMs - period.fromMs) * 1_000n);
});
