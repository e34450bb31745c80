import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { Notifier } from '@berth/concurrency';
import { maxUsageIntervals, nodePaths, UsageBatch } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MeterMachine, type MeterProcess, UsageStore } from '../../test/test-meter.ts';
import type { NodeClient } from '../node/node-client.ts';
import { sendUsage } from './send-usage.ts';

const one = randomUUID();
const run = { memoryMb: 512, run: 'container 7' };

let machine: MeterMachine;
let store: UsageStore;
let runner: MeterProcess;
let notifier: Notifier;
let stopping: AbortController;
let warnings: string[];
/** Sizes of the batches that the api has got, and its next answers. */
let batches: UsageBatch[];
let statuses: (number | 'lost')[];
let sent: number;

beforeEach(() => {
  machine = new MeterMachine();
  store = new UsageStore();
  runner = machine.start();
  runner.meter.setClock(machine.nowMs);
  notifier = new Notifier();
  stopping = new AbortController();
  warnings = [];
  batches = [];
  statuses = [];
  sent = 0;
});
afterEach(() => {
  runner.meter.close();
  machine[Symbol.dispose]();
});

/** A stand-in for the api: it stores what it answers with 200, and may lose its answer. */
const client: Pick<NodeClient, 'post'> = {
  async post(path, body) {
    expect(path).toBe(nodePaths.usage);
    const batch = UsageBatch.parse(JSON.parse(JSON.stringify(body)));
    batches.push(batch);
    const status = statuses.shift() ?? 200;
    if (status === 200 || status === 'lost') store.take(batch);
    if (status === 'lost') throw new Error('The connection broke.');
    return { status, body: { message: 'not now' } };
  },
};

function start(openMs = 3_600_000): Promise<void> {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      warnings.push(JSON.parse(String(chunk)).msg);
      done();
    },
  });
  return sendUsage({
    ...{ meter: runner.meter, client, notifier },
    onSent: (count) => {
      sent += count;
    },
    logger: createLogger({ role: 'runner' }, { level: 'warn', destination }),
    signal: stopping.signal,
    pauses: { openMs, gatherMs: 20, retryMs: { first: 2, max: 5 } },
  });
}

async function stop(sending: Promise<void>): Promise<void> {
  stopping.abort();
  await sending;
}

/** Meters so many closed intervals, each of a second. */
function meterClosed(count: number): void {
  for (let done = 0; done < count; done += 1) {
    runner.meter.begin(one, run);
    runner.pass(1_000);
    runner.meter.end(one);
  }
}

test('many intervals leave in batches, each once, and are then acknowledged', async () => {
  meterClosed(2_500);
  const sending = start();
  await expect.poll(() => sent).toBe(2_500);
  expect(batches.map(({ intervals }) => intervals.length)).toEqual([maxUsageIntervals, maxUsageIntervals, 500]);
  expect(store.of(one)).toHaveLength(2_500);
  expect(runner.meter.unacknowledged).toBe(0);
  await stop(sending);
});

test('closed intervals are sent soon and together, and the end of the instance after them', async () => {
  const sending = start();
  meterClosed(3);
  runner.meter.forget(one);
  notifier.notify();
  await expect.poll(() => store.ended).toEqual([one]);
  expect(batches.map(({ intervals, ended }) => [intervals.length, ended.length])).toEqual([
    [3, 0],
    [0, 1],
  ]);
  await stop(sending);
});

test('open intervals are sent again when they have grown, and only then', async () => {
  const two = randomUUID();
  runner.meter.begin(two, run);
  const sending = start(400);
  await expect.poll(() => store.of(two).length).toBe(1);
  runner.pass(1_000);
  await expect.poll(() => store.of(two)[0]?.lastedMs).toBe(1_000);
  const before = batches.length;
  runner.pass(2_000);
  await expect.poll(() => store.of(two)[0]?.lastedMs).toBe(3_000);
  expect(batches.length).toBe(before + 1);
  await stop(sending);
});

test('nothing is dropped whatever the api answers, and a repeated failure is logged once until it changes', async () => {
  statuses = [404, 404, 404, 500, 413, 'lost', 404];
  meterClosed(2);
  const sending = start();
  await expect.poll(() => sent).toBe(2);
  expect(batches).toHaveLength(8);
  expect(store.of(one).map(({ lastedMs }) => lastedMs)).toEqual([1_000, 1_000]);
  expect(warnings).toHaveLength(5);
  expect(runner.meter.unacknowledged).toBe(0);
  await stop(sending);
});

test('an answer that comes after the interval has grown acknowledges only what was sent', async () => {
  runner.meter.begin(one, run);
  runner.pass(1_000);
  const grow = client.post;
  const growing: Pick<NodeClient, 'post'> = {
    async post(...call) {
      if (batches.length === 0) {
        runner.pass(5_000);
        runner.meter.end(one);
        notifier.notify();
      }
      return grow(...call);
    },
  };
  const sending = sendUsage({
    ...{ meter: runner.meter, client: growing, notifier, onSent: () => {} },
    logger: createLogger({ role: 'runner' }, { level: 'silent' }),
    signal: stopping.signal,
    pauses: { openMs: 3_600_000, gatherMs: 1, retryMs: { first: 1, max: 1 } },
  });
  await expect.poll(() => store.of(one)[0]?.lastedMs).toBe(6_000);
  expect(batches.map(({ intervals }) => intervals.map(({ toMs, fromMs }) => toMs - fromMs))).toEqual([
    [1_000],
    [6_000],
  ]);
  await stop(sending);
});
