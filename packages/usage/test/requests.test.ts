import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import {
  countDuration,
  noDurations,
  openUsage,
  type RequestQuery,
  type RequestRow,
  UsageUnavailable,
} from '@berth/usage';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUsage, type TestUsage } from './start-usage.ts';

let started: TestUsage;
beforeAll(async () => {
  started = await startUsage();
});
afterAll(() => started[Symbol.asyncDispose]());

const logger = createLogger({ role: 'test' }, { level: 'error' });
const minuteMs = 60_000;
/** A full hour, in the past, and within the retention. */
const base = Math.floor(Date.now() / 3_600_000 - 2) * 3_600_000;

const histogram = (durations: readonly number[]): number[] => {
  const counts = noDurations();
  for (const ms of durations) countDuration(counts, ms);
  return counts;
};

/** One request that took 30 ms, unless changed; of a new workload. */
function someRow(changes: Partial<RequestRow> = {}): RequestRow {
  return {
    workspaceId: uuidv7(),
    resourceType: 'agents',
    resourceUid: uuidv7(),
    workload: 'web',
    minuteMs: base,
    gateway: uuidv7(),
    requests: 1,
    clientErrors: 0,
    serverErrors: 0,
    bytesIn: 10,
    bytesOut: 100,
    durations: histogram([30]),
    firstBytes: histogram([3]),
    ...changes,
  };
}

const times = (row: RequestRow, factor: number): RequestRow => ({
  ...row,
  requests: row.requests * factor,
  bytesIn: row.bytesIn * factor,
  bytesOut: row.bytesOut * factor,
  durations: row.durations.map((count) => count * factor),
  firstBytes: row.firstBytes.map((count) => count * factor),
});

const about = (row: RequestRow, changes: Partial<RequestQuery> = {}): RequestQuery => ({
  workspaceId: row.workspaceId,
  resourceTypes: [row.resourceType],
  workloads: [row.workload],
  from: new Date(base - 60 * minuteMs),
  to: new Date(base + 60 * minuteMs),
  intervalSeconds: 60,
  ...changes,
});

const read = async (row: RequestRow, changes: Partial<RequestQuery> = {}) =>
  (await started.usage.requests.query(about(row, changes))).get(row.workload);

const write = (...rows: RequestRow[]) => started.usage.requests.write(rows);

test('counters of a minute that are written twice, late and out of order count once, as the newest', async () => {
  const row = someRow();
  await write(times(row, 2));
  await write(times(row, 5));
  await write(times(row, 5), row);
  await write(times(row, 3));
  expect((await read(row))?.total).toMatchObject({ requests: 5, bytesIn: 50, bytesOut: 500 });
});

test('gateways, and runs of one gateway, add up', async () => {
  const row = someRow({ clientErrors: 1 });
  const other = { ...row, gateway: uuidv7(), clientErrors: 0, serverErrors: 1, durations: histogram([700]) };
  await write(row);
  await write(other, row, other);
  const found = await read(row);
  expect(found?.total).toMatchObject({ requests: 2, clientErrors: 1, serverErrors: 1, bytesIn: 20, bytesOut: 200 });
  expect(found?.total.latencyMs).toEqual({ p50: 50, p95: 950, p99: 990 });
});

test('percentiles are of the sum of all histograms, and absent where nothing was measured', async () => {
  const row = someRow({ requests: 3, durations: histogram([0.5, 30, 30]), firstBytes: noDurations() });
  await write(row, { ...row, minuteMs: base + minuteMs, requests: 1, durations: histogram([30]) });
  const { total, buckets = [] } = (await read(row)) ?? {};
  expect(total?.latencyMs?.p50).toBeCloseTo(25 + 25 / 3);
  expect(total?.firstByteMs).toBeUndefined();
  expect(buckets.map(({ latencyMs }) => latencyMs?.p50)).toEqual([31.25, 37.5]);
});

test('the buckets of an interval add up to the total, and empty ones are left out', async () => {
  const row = someRow();
  await write(...[0, 1, 4, 5, 9, 30].map((minute) => ({ ...row, minuteMs: base + minute * minuteMs })));
  const bucketsOf = async (intervalSeconds: number) => {
    const { total, buckets = [] } = (await read(row, { intervalSeconds })) ?? {};
    expect(total?.requests).toBe(6);
    return buckets.map(({ start, requests }) => [(start * 1_000 - base) / minuteMs, requests]);
  };
  expect(await bucketsOf(300)).toEqual([
    [0, 3],
    [5, 2],
    [30, 1],
  ]);
  expect(await bucketsOf(3_600)).toEqual([[0, 6]]);
  expect(await bucketsOf(60)).toHaveLength(6);
});

test('a minute counts in the window in which it begins, so windows that touch count it once', async () => {
  const row = someRow();
  await write(row);
  const within = async (fromMs: number, toMs: number) =>
    (await read(row, { from: new Date(base + fromMs), to: new Date(base + toMs) }))?.total.requests ?? 0;
  expect(await within(0, 1)).toBe(1);
  expect(await within(-minuteMs, 0)).toBe(0);
  expect(await within(1, minuteMs)).toBe(0);
  for (const edge of [-1, 0, 1, 30_000])
    expect((await within(-minuteMs, edge)) + (await within(edge, minuteMs))).toBe(1);
});

test('a query sees one workspace, its types and its names, and a missing workload is absent', async () => {
  const row = someRow();
  await write(row, { ...someRow(), workload: 'web' }, { ...row, workload: 'other', resourceUid: uuidv7() });
  await write({ ...row, resourceType: 'functions', resourceUid: uuidv7() });
  const names = async (changes: Partial<RequestQuery>) => [
    ...(await started.usage.requests.query(about(row, changes))).keys(),
  ];
  expect((await read(row))?.total.requests).toBe(1);
  expect((await read(row, { resourceTypes: ['agents', 'functions'] }))?.total.requests).toBe(2);
  expect(await names({ workloads: ['none', "web' OR 1=1"] })).toEqual([]);
  expect(await names({ workspaceId: uuidv7() })).toEqual([]);
  expect(await names({ workloads: undefined })).toEqual(['other', 'web']);
});

test('without names the workloads with the most requests come, a thousand at most, with totals and without buckets', async () => {
  const row = someRow();
  await write(
    ...Array.from({ length: 1_001 }, (_, index) => ({
      ...row,
      workload: `web-${index}`,
      resourceUid: uuidv7(),
      requests: index + 1,
    })),
  );
  const found = [...(await started.usage.requests.query(about(row, { workloads: undefined })))];
  expect(found).toHaveLength(1_000);
  expect(found[0]).toMatchObject(['web-1000', { total: { requests: 1_001 }, buckets: [] }]);
  expect(found.at(-1)?.[0]).toBe('web-1');
});

test('a process that only inserts waits for the tables of another one, which also applies a new retention', async () => {
  const everywhere = createClient({ url: started.engine.url });
  await everywhere.command({ query: 'CREATE DATABASE beside' });
  await everywhere.close();
  const url = new URL('/beside', started.engine.url).href;
  const [client, row] = [createClient({ url }), someRow()];
  const writer = openUsage({ url, logger, makesTables: false });
  await expect(writer.requests.write([row])).rejects.toBeInstanceOf(UsageUnavailable);
  for (const logRetentionDays of [7, 9]) {
    const owner = openUsage({ url, logger, logRetentionDays });
    await owner.migrate();
    await writer.requests.write([row]);
    expect((await owner.requests.query(about(row))).get('web')?.total.requests).toBe(1);
    const answer = await client.query({ query: 'SHOW CREATE TABLE request_minutes', format: 'TabSeparatedRaw' });
    expect(await answer.text()).toContain(`TTL minute + toIntervalDay(${logRetentionDays})`);
    await owner.close();
  }
  await writer.close();
  await client.close();
});
