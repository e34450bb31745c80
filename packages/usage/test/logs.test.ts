import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { type LogQuery, type LogRow, openUsage, type Usage, UsageUnavailable } from '@berth/usage';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { migrations } from '../src/migrations.ts';

let engine: TestClickhouse;
let usage: Usage;
const logger = createLogger({ role: 'test' }, { level: 'error' });
const dayMs = 86_400_000;

beforeAll(async () => {
  engine = await startTestClickhouse();
  usage = openUsage({ url: engine.url, logger });
});
afterAll(async () => {
  await usage.close();
  await engine[Symbol.asyncDispose]();
});

const now = Date.now();
const nanoseconds = (ms: number, rest = 0): string => String(BigInt(ms) * 1_000_000n + BigInt(rest));

/** Lines of a new workload, a millisecond apart, the last one now. */
function someLines(texts: readonly string[], changes: Partial<LogRow> = {}): LogRow[] {
  const place = {
    workspaceId: uuidv7(),
    resourceType: 'agents',
    resourceUid: uuidv7(),
    workload: 'talker',
    revision: '1',
    instanceId: uuidv7(),
    stream: 'stdout',
    ...changes,
  } as const;
  return texts.map((text, sequence) => ({
    sequence,
    timeNs: nanoseconds(now - texts.length + sequence, 123_456),
    text,
    ...place,
  }));
}

const about = ({ workspaceId = '', resourceType = '', workload = '' }: Partial<LogRow> = {}): LogQuery => ({
  workspaceId,
  resourceTypes: [resourceType],
  workloads: [workload],
  from: new Date(now - 3 * dayMs),
  to: new Date(now + 1_000),
  limit: 1000,
  offset: 0,
  intervalSeconds: 60,
});

async function read(row: LogRow | undefined, changes: Partial<LogQuery> = {}) {
  const found = (await usage.logs.query({ ...about(row), ...changes })).get(row?.workload ?? '');
  return { texts: found?.lines.map(({ text }) => text), total: found?.total, found };
}

// Tests with workloads of their own run at the same time: each write waits a quarter of a second for more rows.
test.concurrent('a line comes back as it was, to the nanosecond, newest first', async () => {
  const texts = ["it's \\ \t \u0000 \u{1f600}", '', '{"level":50}', 'x'.repeat(262_144)];
  const rows = someLines(texts);
  expect(await usage.logs.write(rows)).toBe(4);
  const { found, texts: seen } = await read(rows[0]);
  expect(seen).toEqual(texts.toReversed());
  expect(found?.lines.map(({ severity }) => severity)).toEqual([0, 17, 0, 0]);
  expect(found?.lines[0]?.at).toBe(new Date(now - 1).toISOString().replace('T', ' ').replace('Z', '123456'));
});

test.concurrent('lines sent twice, in other batches, come out once and count once', async () => {
  const rows = someLines(Array.from({ length: 100 }, (_, index) => `line ${index}`));
  await usage.logs.write(rows.slice(0, 60));
  await usage.logs.write(rows.slice(30));
  await usage.logs.write(rows);
  await usage.logs.write(rows.toReversed());
  const { texts, total, found } = await read(rows[0]);
  expect([texts?.length, new Set(texts).size, total]).toEqual([100, 100, 100]);
  expect(found?.buckets.reduce((sum, { count, unknown }) => sum + count + unknown, 0)).toBe(200);
  const second = await read(rows[0], { limit: 10, offset: 10 });
  expect(second.texts).toEqual(Array.from({ length: 10 }, (_, index) => `line ${89 - index}`));
});

test.concurrent('two instances may use the same numbers at the same time', async () => {
  const rows = someLines(['a', 'b']);
  await usage.logs.write([...rows, ...rows.map((row) => ({ ...row, instanceId: uuidv7() }))]);
  expect((await read(rows[0])).total).toBe(4);
});

test.concurrent('no reader gets lines of another workspace, type or workload', async () => {
  const rows = someLines(['mine']);
  await usage.logs.write(rows);
  const others: Partial<LogQuery>[] = [
    { workspaceId: uuidv7() },
    { resourceTypes: ['functions'] },
    { resourceTypes: [] },
    { workloads: ['talker2'] },
  ];
  for (const other of others) {
    const found = await usage.logs.query({ ...about(rows[0]), ...other });
    expect([...found.values()]).toEqual([{ lines: [], total: 0, buckets: [] }]);
  }
});

test.concurrent('severity, search and the window choose lines and counts alike', async () => {
  const rows = someLines(['ERROR 100% of_it', 'INFO 100 percent', 'info: Über 100', 'ERROR none']);
  await usage.logs.write(rows);
  const chosen = async (changes: Partial<LogQuery>) => {
    const { texts, total } = await read(rows[0], changes);
    expect(total).toBe(texts?.length);
    return texts;
  };
  expect(await chosen({ severities: ['ERROR'] })).toEqual(['ERROR none', 'ERROR 100% of_it']);
  expect(await chosen({ severities: ['FATAL', 'TRACE'] })).toEqual([]);
  expect(await chosen({ search: '100%' })).toEqual(['ERROR 100% of_it']);
  expect(await chosen({ search: 'OF_' })).toEqual(['ERROR 100% of_it']);
  expect(await chosen({ search: 'über' })).toEqual(['info: Über 100']);
  expect(await chosen({ search: "') OR 1 --" })).toEqual([]);
  expect(await chosen({ from: new Date(now - 3), to: new Date(now - 2) })).toEqual(['INFO 100 percent']);
});

test.concurrent('lines of tasks are chosen by execution and index, and other lines have neither', async () => {
  const [first, second] = [uuidv7(), uuidv7()];
  const rows = someLines(['0 of first', '1 of first', '1 of second', 'of none'], { resourceType: 'jobs' });
  const tasks = [
    { executionId: first, index: 0 },
    { executionId: first, index: 1 },
    { executionId: second, index: 1 },
  ];
  await usage.logs.write(rows.map((row, place) => ({ ...row, instanceId: uuidv7(), task: tasks[place] })));
  const chosen = async (changes: Partial<LogQuery>) => {
    const { texts, total } = await read(rows[0], changes);
    expect(total).toBe(texts?.length);
    return texts;
  };
  expect(await chosen({})).toEqual(['of none', '1 of second', '1 of first', '0 of first']);
  expect(await chosen({ executionIds: [first] })).toEqual(['1 of first', '0 of first']);
  expect(await chosen({ executionIds: [first, second], task: 1 })).toEqual(['1 of second', '1 of first']);
  expect(await chosen({ task: 0 })).toEqual(['0 of first']);
  expect(await chosen({ executionIds: [second], task: 0 })).toEqual([]);
  expect(await chosen({ executionIds: [uuidv7()] })).toEqual([]);
  expect(await chosen({ executionIds: [] })).toEqual([]);
});

test.concurrent('lines of a task that are sent twice come out once, also when they are chosen by execution', async () => {
  const task = { executionId: uuidv7(), index: 7 };
  const rows = someLines(['a', 'b', 'c'], { resourceType: 'jobs', task });
  await usage.logs.write(rows);
  await usage.logs.write(rows.toReversed());
  const { texts, total } = await read(rows[0], { executionIds: [task.executionId], task: 7 });
  expect([texts, total]).toEqual([['c', 'b', 'a'], 3]);
});

test.concurrent('lines are counted per interval and severity, and days stay apart', async () => {
  const minute = Math.floor((now - 2 * dayMs) / 60_000) * 60_000;
  const rows = someLines(['ERROR a', 'ERROR b', 'INFO c', 'd']).map((row, index) => ({
    ...row,
    timeNs: nanoseconds(minute + ([0, 59_999, 60_000, dayMs][index] ?? 0), 999_999),
  }));
  await usage.logs.write(rows);
  const { found } = await read(rows[0]);
  const seen = found?.buckets.map(({ start, count, error, info, unknown }) => [start, count, error, info, unknown]);
  const second = minute / 1000;
  expect(seen).toEqual([
    [second, 2, 2, 0, 0],
    [second + 60, 1, 0, 1, 0],
    [second + 86_400, 1, 0, 0, 1],
  ]);
});

test.concurrent('a line from a clock that is far off does not hold up the others', async () => {
  const rows = someLines(['from 1970', 'good', 'from far ahead', 'from no time at all']);
  const times = ['5', rows[1]?.timeNs, nanoseconds(now + 2 * dayMs), '9'.repeat(20)];
  expect(await usage.logs.write(rows.map((row, index) => ({ ...row, timeNs: times[index] ?? '' })))).toBe(1);
  expect((await read(rows[0])).texts).toEqual(['good']);
});

test('5 000 lines are one insert and take seconds at most', async () => {
  const rows = someLines(Array.from({ length: 5_000 }, (_, index) => `INFO ${index} ${'x'.repeat(200)}`));
  const before = performance.now();
  await usage.logs.write(rows);
  expect(performance.now() - before).toBeLessThan(10_000);
  expect((await read(rows[0])).total).toBe(5_000);
});

test('while ClickHouse is away both ways say so, and go on when it is back', async () => {
  const rows = someLines(['before', 'after']);
  await usage.logs.write(rows.slice(0, 1));
  await engine.kill();
  await expect(usage.logs.write(rows)).rejects.toBeInstanceOf(UsageUnavailable);
  await expect(read(rows[0])).rejects.toBeInstanceOf(UsageUnavailable);
  expect(await usage.ready()).toBe(false);
  await engine.start();
  await usage.logs.write(rows);
  expect((await read(rows[0])).texts).toEqual(['after', 'before']);
  expect(await usage.ready()).toBe(true);
});

test('a ClickHouse that lost its table gets it again', async () => {
  const client = createClient({ url: engine.url });
  await client.command({ query: 'DROP TABLE logs SYNC' });
  await client.close();
  const rows = someLines(['again']);
  await expect(usage.logs.write(rows)).rejects.toBeInstanceOf(UsageUnavailable);
  await usage.logs.write(rows);
  expect((await read(rows[0])).texts).toEqual(['again']);
});

test('migrations may run again, and a new retention is taken over', async () => {
  const client = createClient({ url: engine.url });
  const timeToLive = async () => {
    const answer = await client.query({ query: "SELECT engine_full FROM system.tables WHERE name = 'logs'" });
    return /toIntervalDay\((\d+)\)/.exec(await answer.text())?.[1];
  };
  await Promise.all([usage.migrate(), usage.migrate()]);
  expect(await timeToLive()).toBe('30');
  const shorter = openUsage({ url: engine.url, logger, logRetentionDays: 7 });
  await shorter.migrate();
  expect(await timeToLive()).toBe('7');
  await shorter.close();
  await client.close();
});

test('after an upgrade the lines of the previous release are there, and its servers still write', async () => {
  const everywhere = createClient({ url: engine.url });
  await everywhere.command({ query: 'CREATE DATABASE upgraded' });
  await everywhere.close();
  const url = new URL('/upgraded', engine.url).href;
  const previous = createClient({ url });
  const [previousTable = ''] = migrations(30);
  await previous.command({ query: previousTable });
  const [old] = someLines(['before the upgrade'], { resourceType: 'jobs' });
  const insertAsBefore = (sequence: number, text: string) =>
    previous.insert({
      table: 'logs',
      values: [
        {
          workspace_id: old?.workspaceId,
          resource_type: old?.resourceType,
          resource_uid: old?.resourceUid,
          workload: old?.workload,
          revision: old?.revision,
          instance_id: old?.instanceId,
          sequence,
          time: String((now - 3 + sequence) / 1000),
          stream: 'stdout',
          severity: 'INFO',
          text,
        },
      ],
      format: 'JSONEachRow',
    });
  await insertAsBefore(0, 'before the upgrade');

  const [one, other] = [openUsage({ url, logger }), openUsage({ url, logger })];
  await Promise.all([one.migrate(), other.migrate()]);
  await insertAsBefore(1, 'during the upgrade');
  const task = { executionId: uuidv7(), index: 0 };
  const place = { workspaceId: old?.workspaceId ?? '', resourceType: 'jobs', resourceUid: old?.resourceUid ?? '' };
  await one.logs.write(someLines(['of a task'], { ...place, task }));
  const texts = async (changes: Partial<LogQuery>) =>
    (await other.logs.query({ ...about(old), ...changes })).get('talker')?.lines.map(({ text }) => text);
  expect(await texts({})).toEqual(['of a task', 'during the upgrade', 'before the upgrade']);
  expect(await texts({ executionIds: [task.executionId], task: 0 })).toEqual(['of a task']);
  await Promise.all([one.close(), other.close(), previous.close()]);
});
