import { createLogger, type Logger } from '@berth/telemetry';
import type { RequestRow } from '@berth/usage';
import { expect, test } from 'vitest';
import type { Outcome } from '../proxy/outcome.ts';
import { createRequestCounts, type RequestCountsOptions } from './request-counts.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2028, 1, 29, 23, 58);
const outcome = (changes: Partial<Outcome> = {}): Outcome => ({
  ...{ status: 200, bytesIn: 1, bytesOut: 10, firstByteMs: 2, durationMs: 4, dispatchState: 'answered' },
  ...changes,
});

interface Warning {
  readonly event: string;
  readonly missed?: number;
  readonly requests?: number;
}

/** Counts with a clock of the test; what is written is kept by key, as the table does. */
function startCounts(options: Partial<RequestCountsOptions> = {}) {
  const clock = { ms: startMs };
  const table = new Map<string, RequestRow>();
  const inserts: number[] = [];
  const warnings: Warning[] = [];
  let runs = 0;
  const logger: Logger = createLogger({ role: 'gateway' }, { level: 'silent' });
  logger.warn = (entry: object) => void warnings.push(entry as Warning);
  const counts = createRequestCounts({
    logger,
    newRunId() {
      runs += 1;
      return `run-${runs}`;
    },
    now: () => clock.ms,
    write: async (rows) => {
      inserts.push(rows.length);
      for (const row of rows) table.set(`${row.workload} ${(row.minuteMs - startMs) / minuteMs} ${row.gateway}`, row);
    },
    ...options,
  });
  const count = (name: string, status = 200, result: Outcome | null = outcome(), elapsedMs = 4) =>
    counts.count({ uid: `uid-${name}`, kind: 'agent', name, workspaceId: 'w' }, status, elapsedMs, result ?? undefined);
  const requests = () => Object.fromEntries([...table].map(([key, row]) => [key, row.requests]));
  return { counts, count, clock, table, inserts, warnings, requests };
}

test('requests are counted by workload and minute, with their errors, bytes and times', async () => {
  const { counts, count, clock, table } = startCounts();
  count('web');
  count('web', 404, null, 0.5);
  count('web', 503, outcome({ status: undefined, bytesOut: 0, firstByteMs: undefined }), 30_000);
  count('web', 0, outcome({ status: undefined, bytesOut: 0, firstByteMs: undefined }));
  clock.ms += minuteMs;
  // Held for 396 ms: the head of the response came 2 ms after the request was offered to an instance.
  count('web', 200, outcome(), 400);
  await counts.close();
  expect([...table.keys()]).toEqual(['web 0 run-1', 'web 1 run-1']);
  expect(table.get('web 0 run-1')).toEqual({
    ...{ workspaceId: 'w', resourceType: 'agents', resourceUid: 'uid-web', workload: 'web' },
    ...{ minuteMs: startMs, gateway: 'run-1', requests: 4, clientErrors: 1, serverErrors: 1, bytesIn: 3, bytesOut: 10 },
    durations: [1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
    firstBytes: [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  });
  expect(table.get('web 1 run-1')).toMatchObject({
    durations: expect.arrayContaining([1]),
    firstBytes: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
  });
});

test('a write has the whole counters of what changed, and nothing is written twice', async () => {
  const { counts, count, clock, inserts, requests } = startCounts();
  count('web');
  count('api');
  await counts.flush();
  await counts.flush();
  count('web');
  await counts.flush();
  clock.ms += minuteMs;
  count('web');
  await counts.flush();
  await counts.close();
  expect(inserts).toEqual([2, 1, 1]);
  expect(requests()).toEqual({ 'web 0 run-1': 2, 'api 0 run-1': 1, 'web 1 run-1': 1 });
});

test('requests during a write are in the next one, and only one write is under way', async () => {
  const gate = Promise.withResolvers<void>();
  const written: number[][] = [];
  const { counts, count } = startCounts({
    write: (rows) => {
      written.push(rows.map((row) => row.requests));
      return gate.promise;
    },
  });
  count('web');
  const writes = [counts.flush(), counts.flush()];
  count('web');
  expect(written).toEqual([[1]]);
  gate.resolve();
  await Promise.all(writes);
  await counts.close();
  expect(written).toEqual([[1], [2]]);
});

test('minutes that could not be written are written later; after ten minutes they are dropped, with a warning', async () => {
  let isAway = true;
  const tried: RequestRow[] = [];
  const { counts, count, clock, warnings } = startCounts({
    write: async (rows) => {
      if (isAway) throw new Error('away');
      tried.push(...rows);
    },
  });
  count('old');
  count('old');
  await counts.flush();
  clock.ms += minuteMs;
  count('young');
  clock.ms += 9 * minuteMs;
  await counts.flush();
  expect(warnings.map(({ event }) => event)).toEqual(Array(2).fill('gateway.request_counts_failed'));
  clock.ms += minuteMs;
  await counts.flush();
  expect(warnings.at(-1)).toEqual({ event: 'gateway.request_counts_dropped', requests: 2 });
  isAway = false;
  await counts.close();
  expect(tried.map(({ workload, requests }) => [workload, requests])).toEqual([['young', 1]]);
});

test('a full table warns of the requests that it does not count, and has room once minutes are over and written', async () => {
  const { counts, count, clock, warnings, requests } = startCounts({ maxEntries: 2 });
  for (const name of ['one', 'two', 'three', 'three', 'one']) count(name);
  await counts.flush();
  expect(warnings).toEqual([{ event: 'gateway.request_counts_missed', missed: 2 }]);
  clock.ms += minuteMs;
  await counts.flush();
  count('three');
  await counts.close();
  expect(requests()).toEqual({ 'one 0 run-1': 2, 'two 0 run-1': 1, 'three 1 run-1': 1 });
});

test('a minute that is counted again after the clock was set back does not replace the first count', async () => {
  const { counts, count, clock, requests } = startCounts();
  count('web');
  clock.ms += minuteMs;
  count('web');
  await counts.flush();
  clock.ms -= minuteMs;
  count('web');
  clock.ms += minuteMs;
  count('web');
  await counts.close();
  expect(requests()).toEqual({ 'web 0 run-1': 1, 'web 1 run-1': 1, 'web 0 run-2': 1, 'web 1 run-2': 1 });
});

test('many workloads are written in batches', async () => {
  const { counts, count, inserts } = startCounts();
  for (let index = 0; index < 2_500; index += 1) count(`web-${index}`);
  await counts.close();
  expect(inserts).toEqual([1_000, 1_000, 500]);
});

test('the end waits for a write that hangs only within its bound', async () => {
  const { counts, count } = startCounts({ write: () => new Promise(() => {}), closeMs: 10 });
  count('web');
  void counts.flush();
  await counts.close();
});
