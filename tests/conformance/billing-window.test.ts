// The window of billing metrics, its resolution and its buckets. Specification: Billing metrics, Limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bill } from './support/bill.ts';
import { type Billing, startBilling } from './support/billing.ts';

const dayMs = 86_400_000;

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing[Symbol.asyncDispose]());

/** Times that no edge of a window may have. */
const noInstants = [
  ...['', 'now', '2025-03-01', '2025-03-01T00:00:00', '2025-03-01T00:00Z', '2025-03-01 00:00:00Z', '1740787200'],
  ...['2025-03-01T00:00:00+01:00', '2025-03-01T00:00:00+00:00', '2025-02-30T00:00:00Z', '2025-03-01T25:00:00Z'],
];

test('billing-window.start-time: startTime is needed, is RFC 3339 in UTC, and usage from that instant on is in the window', async () => {
  const { endTime } = billing.window();
  const asked = async (startTime: string) => billing.ask({ startTime, endTime: '2025-04-01T00:00:00Z' });
  expect((await billing.api.admin.get(billing.path, { query: { endTime } })).status).toBe(400);
  for (const time of noInstants) expect([time, (await asked(time)).status]).toEqual([time, 400]);
  for (const time of ['2025-03-01T00:00:00Z', '2025-03-01T00:00:00.5Z', '2025-03-01T00:00:00.123456Z'])
    expect([time, (await asked(time)).status]).toEqual([time, 200]);
  // The only event of the bill happened at the very beginning of its hour.
  const events = async (window: object) =>
    (await billing.ask({ ...window, groupBy: 'billing_dimension', billingDimension: 'agent_async_requests_count' }))
      .body.summary.totalUsage;
  expect(await events(billing.window(3, 4))).toBe(5);
  const late = new Date(Date.parse(billing.window(3).startTime) + 1).toISOString();
  expect(await events({ ...billing.window(3, 4), startTime: late })).toBe(0);
});

test('billing-window.end-time: endTime is needed, is RFC 3339 in UTC, and usage from that instant on is outside the window', async () => {
  const { startTime } = billing.window();
  const asked = async (endTime: string) => billing.ask({ startTime: '2025-02-01T00:00:00Z', endTime });
  expect((await billing.api.admin.get(billing.path, { query: { startTime } })).status).toBe(400);
  for (const time of noInstants) expect([time, (await asked(time)).status]).toEqual([time, 400]);
  expect((await asked('2025-03-01T00:00:00Z')).status).toBe(200);
  for (const time of ['2025-02-01T00:00:00Z', '2025-01-31T23:59:59.999Z'])
    expect([time, (await asked(time)).status]).toEqual([time, 400]);
  const events = async (window: object) =>
    (await billing.ask({ ...window, groupBy: 'billing_dimension', billingDimension: 'agent_async_requests_count' }))
      .body.summary.totalUsage;
  expect(await events(billing.window(2, 3))).toBe(0);
  const later = new Date(Date.parse(billing.window(3).startTime) + 1).toISOString();
  expect(await events({ ...billing.window(2, 3), endTime: later })).toBe(5);
  // Half an hour of the sandbox, which ran for an hour.
  const half = await billing.ask({
    ...billing.window(1),
    endTime: billing.window(1.5).startTime,
    resourceType: 'sandbox',
  });
  expect(half.body.summary.totalCost).toBe(0.0414);
});

test('billing-window.resolution: resolution takes hourly, daily, weekly and monthly, and without it the window decides', async () => {
  const window = billing.window(0, 7 * 24);
  for (const resolution of ['hourly', 'daily', 'weekly', 'monthly'])
    expect((await billing.ask({ ...window, resolution })).body.resolution).toBe(resolution);
  for (const resolution of ['yearly', 'minutely', 'HOURLY', '1h', ''])
    expect([resolution, (await billing.ask({ ...window, resolution })).status]).toEqual([resolution, 400]);
  expect((await billing.ask(window)).body.resolution).toBe('daily');
  expect((await billing.ask(billing.window(0, 1))).body.resolution).toBe('hourly');
});

const at = (ms: number) => new Date(ms).toISOString();
const windowOf = (startTime: string, endMs: number) => ({ startTime, endTime: at(endMs) });
const start = '2023-03-01T00:00:00Z';
/** Where each default begins, with what is below; the year has 366 days. */
const edges = [
  ['hourly', 'daily', Date.parse(start) + 7 * dayMs],
  ['daily', 'weekly', Date.parse(start) + 90 * dayMs],
  ['weekly', 'monthly', Date.parse('2024-03-01T00:00:00Z')],
] as const;

test('billing-window.default-resolution: below 7 days it is hourly, below 90 days daily, below a year weekly, and monthly from there', async () => {
  const resolutionOf = async (endMs: number) => (await billing.ask(windowOf(start, endMs))).body.resolution;
  for (const [below, from, edgeMs] of edges) {
    expect(await resolutionOf(edgeMs - 1)).toBe(below);
    expect(await resolutionOf(edgeMs)).toBe(from);
  }
  expect(await resolutionOf(Date.parse(start) + 1)).toBe('hourly');
  expect(await resolutionOf(Date.parse('2033-03-01T00:00:00Z'))).toBe('monthly');
});

test('billing-window.caps: hourly reaches 7 days, daily 90 days, weekly a year, each inclusive, and monthly has no end', async () => {
  for (const [resolution, , edgeMs] of edges)
    expect((await billing.ask({ ...windowOf(start, edgeMs), resolution })).body.resolution).toBe(resolution);
  const long = await billing.ask({
    startTime: '1000-01-01T00:00:00Z',
    endTime: '3000-01-01T00:00:00Z',
    resolution: 'monthly',
  });
  expect([long.status, long.body.data[0].timeseries.length]).toEqual([200, 24_000]);
  expect(long.body.summary.totalCost).toBe(0.219601);
});

test('billing-window.over: a window that is longer than its resolution reaches gives 400', async () => {
  for (const [resolution, , edgeMs] of edges) {
    const { status, body } = await billing.ask({ ...windowOf(start, edgeMs + 1), resolution });
    expect([resolution, status, body.error]).toEqual([resolution, 400, 'invalid_metrics_window']);
  }
});

test('billing-window.limits: each resolution has its longest window, to the millisecond, also over 29 February', async () => {
  const leap = '2024-02-29T00:00:00Z';
  const limits = [
    ['hourly', Date.parse(leap) + 7 * dayMs],
    ['daily', Date.parse(leap) + 90 * dayMs],
    ['weekly', Date.parse('2025-03-01T00:00:00Z')],
  ] as const;
  for (const [resolution, endMs] of limits) {
    const statuses = [endMs - 1, endMs, endMs + 1].map(
      async (end) => (await billing.ask({ ...windowOf(leap, end), resolution })).status,
    );
    expect([resolution, ...(await Promise.all(statuses))]).toEqual([resolution, 200, 200, 400]);
  }
});

test('billing-window.echo: the answer repeats the window as it was asked for', async () => {
  for (const window of [
    billing.window(),
    { startTime: '2025-01-01T00:00:00Z', endTime: '2025-01-02T03:04:05Z' },
    { startTime: '2025-01-01T00:00:00.250Z', endTime: '2095-01-02T03:04:05Z' },
  ])
    expect((await billing.ask(window)).body).toMatchObject(window);
});

test('billing-window.applied-resolution: the answer says which bucket size was used, chosen or not, and its buckets have that size', async () => {
  const days = billing.window(0, 6 * 24);
  for (const [resolution, buckets] of [
    ['hourly', 6 * 24],
    ['daily', 6],
    ['weekly', 1],
  ] as const) {
    const { body } = await billing.ask({ ...days, resolution });
    expect([body.resolution, body.data[0].timeseries.length]).toEqual([resolution, buckets]);
  }
  const unsaid = (await billing.ask(days)).body;
  expect(unsaid).toEqual((await billing.ask({ ...days, resolution: 'hourly' })).body);
});

test('billing-window.timeseries: the timeseries has each bucket of the window once, in order, and idle ones have cost 0', async () => {
  const startMs = billing.startMs;
  const { data } = (await billing.ask()).body;
  const ofDay = (day: number) => bill.filter(({ hour }) => Math.floor(hour / 24) === day);
  expect(data[0].timeseries).toEqual(
    Array.from({ length: 14 }, (_, day) => ({
      timestamp: at(startMs + day * dayMs),
      cost: ofDay(day).reduce((sum, { microUsd }) => sum + microUsd, 0) / 1e6,
    })),
  );
  // Days that the window cuts: the first item begins with the window, the next one at midnight.
  const cut = (await billing.ask({ ...billing.window(25.5, 8 * 24 + 0.25), resolution: 'daily' })).body.data[0]
    .timeseries;
  expect(cut.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([
    billing.window(25.5).startTime,
    ...Array.from({ length: 7 }, (_, day) => at(startMs + (day + 2) * dayMs)),
  ]);
  expect(cut.map(({ cost }: { cost: number }) => cost)).toEqual([0.0252, 0, 0, 0, 0, 0, 0, 0.0216]);
  // Weeks begin on Mondays, months on the first.
  const weeks = (await billing.ask({ ...billing.window(24), resolution: 'weekly' })).body.data[0].timeseries;
  expect(weeks).toEqual([
    { timestamp: billing.window(24).startTime, cost: 0.0252 },
    { timestamp: at(startMs + 7 * dayMs), cost: 0.0864 },
  ]);
  const months = { startTime: '2024-01-31T12:00:00Z', endTime: '2024-04-01T00:00:00Z', resolution: 'monthly' };
  expect((await billing.ask(months)).body.data[0].timeseries).toEqual(
    ['2024-01-31T12:00:00.000Z', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'].map((timestamp) => ({
      timestamp,
      cost: 0,
    })),
  );
});
