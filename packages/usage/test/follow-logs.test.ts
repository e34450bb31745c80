// Following logs: every line once, whatever the order in which machines send theirs.
import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { type LogPosition, type LogRow, openUsage, type Usage } from '@berth/usage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';

let engine: TestClickhouse;
let usage: Usage;
const now = Date.now();

beforeAll(async () => {
  engine = await startTestClickhouse();
  usage = openUsage({ url: engine.url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
});
afterAll(async () => {
  await usage.close();
  await engine[Symbol.asyncDispose]();
});

const noteSequence = 2 ** 52;

/** An instance of one workload. Each call makes its next line, with a time that may lie behind that of the line before. */
function startWorkload(workspaceId = uuidv7()) {
  const instance = (changes: Partial<LogRow> = {}) => {
    const own = { instanceId: uuidv7(), resourceUid: uuidv7(), ...changes };
    let next = 0;
    return (text: string, atMs: number, sequence = next): LogRow => {
      if (sequence === next) next += 1;
      const place = {
        workspaceId,
        resourceType: 'agents',
        workload: 'talker',
        revision: '1',
        stream: 'stdout',
      } as const;
      return { ...place, ...own, sequence, timeNs: `${atMs}000000`, text };
    };
  };
  const query = { workspaceId, resourceTypes: ['agents'], workloads: ['talker'], limit: 1_000 };
  const tail = (lines: number) => usage.logs.tail({ ...query, limit: lines, from: new Date(now - 86_400_000) });
  const follow = async (position: LogPosition, changes: object = {}) => {
    const { lines, position: next } = await usage.logs.follow({ ...query, ...changes }, position);
    return { texts: lines.map(({ text }) => text), position: next };
  };
  return { instance, tail, follow };
}

test('a follower gets each line once, also lines that come late and lines of new instances', async () => {
  const { instance, tail, follow } = startWorkload();
  const [one, two, three] = [instance(), instance(), instance()];
  await usage.logs.write([one('a1', now - 5_000), one('a2', now - 4_000), two('b1', now - 4_500)]);
  const begun = await tail(2);
  expect(begun.lines.map(({ text }) => text)).toEqual(['b1', 'a2']);
  expect((await follow(begun.position)).texts).toEqual([]);
  // The machine of the second instance was away, so its lines are older than those that were read.
  await usage.logs.write([two('b2', now - 60_000), two('b3', now - 59_000), three('c1', now - 300_000)]);
  const first = await follow(begun.position);
  expect(first.texts).toEqual(['c1', 'b2', 'b3']);
  await usage.logs.write([one('a3', now)]);
  expect((await follow(first.position)).texts).toEqual(['a3']);
  // A position can be used again: the same lines follow it.
  expect((await follow(begun.position)).texts).toEqual(['c1', 'b2', 'b3', 'a3']);
});

test('pages of any size hold all lines, and lines that are sent again are not shown again', async () => {
  const { instance, tail, follow } = startWorkload();
  const begun = await tail(0);
  const writers = Array.from({ length: 5 }, () => instance());
  const rows = Array.from({ length: 200 }, (_, at) =>
    // Times of one instance jump back and forth.
    writers.map((line, each) => line(`${each}:${at}`, now - 60_000 + ((at * 37) % 200) * 10)),
  );
  let position = begun.position;
  const seen: string[] = [];
  for (let part = 0; part < 4; part += 1) {
    const written = rows.slice(part * 50, part * 50 + 50).flat();
    await usage.logs.write([
      ...rows
        .slice(0, part * 50)
        .flat()
        .slice(-100),
      ...written,
    ]);
    for (let page = await follow(position, { limit: 83 }); page.texts.length > 0; ) {
      seen.push(...page.texts);
      position = page.position;
      page = await follow(position, { limit: 83 });
    }
  }
  expect(seen).toHaveLength(1_000);
  expect(new Set(seen).size).toBe(1_000);
});

test('notes of the runner are shown once, and hide no line that follows them', async () => {
  const { instance, tail, follow } = startWorkload();
  const line = instance();
  const { position } = await tail(0);
  await usage.logs.write([line('first', now - 3_000), line('note', now - 2_000, noteSequence)]);
  const noted = await follow(position);
  expect(noted.texts).toEqual(['first', 'note']);
  await usage.logs.write([line('second', now - 1_000), line('another note', now, noteSequence)]);
  expect((await follow(noted.position)).texts).toEqual(['second', 'another note']);
});

test('filters choose lines, and a follower gets none of another workspace', async () => {
  const { instance, tail, follow } = startWorkload();
  const { position } = await tail(0);
  const line = instance();
  await usage.logs.write([
    line('ERROR one', now - 2),
    line('INFO two', now - 1),
    instance({ workload: 'b' })('x', now),
  ]);
  expect((await follow(position, { severities: ['ERROR'] })).texts).toEqual(['ERROR one']);
  expect((await follow(position, { search: 'TWO' })).texts).toEqual(['INFO two']);
  expect((await follow(position, { workloads: undefined })).texts.toSorted()).toEqual(['ERROR one', 'INFO two', 'x']);
  expect((await follow(position, { workspaceId: uuidv7() })).texts).toEqual([]);
  expect((await follow(position, { resourceTypes: [] })).texts).toEqual([]);
});

test('the last lines reach back further than followers look', async () => {
  const { instance, tail, follow } = startWorkload();
  const line = instance();
  await usage.logs.write([line('old', now - 3_600_000), line('new', now)]);
  const { lines, position } = await tail(10);
  expect(lines.map(({ text }) => text)).toEqual(['old', 'new']);
  expect((await follow(position)).texts).toEqual([]);
});
