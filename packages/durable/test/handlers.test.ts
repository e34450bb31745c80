// Guarantees for a handler while no process is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSender,
  defineHandler,
  defineMessage,
  type Handler,
  type RunningHandlers,
  type Sender,
  startHandlers,
} from '@berth/durable';
import { formatTraceparent, startTrace } from '@berth/telemetry';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestRestate, type TestRestate } from '../../../engines/test-restate.ts';
import { until } from '../../../tests/harness/until.ts';
import { silent } from './work.ts';

let restate: TestRestate;
let sender: Sender;
let running: RunningHandlers | undefined;

beforeAll(async () => {
  restate = await startTestRestate();
  sender = createSender({ ingressUrl: restate.ingressUrl });
});
afterEach(() => running?.stop());
afterAll(() => restate[Symbol.asyncDispose]());

const serve = async (...handlers: Handler[]): Promise<RunningHandlers> => {
  running = await startHandlers({ handlers, adminUrl: restate.adminUrl, port: 0, logger: silent });
  return running;
};
/** Restate keeps handler names permanently, so each test uses its own. */
let names = 0;
const nextName = (): string => `probe-${++names}`;
const Empty = z.object({});
const outgoing = (to: { name: string }, key: string, message: object = {}) => ({ to, key, message });

test('two runs of one key never overlap, runs of different keys do', async () => {
  const running = new Set<string>();
  const maxAtOnce = { key: 0, all: 0 };
  let handled = 0;
  const together = Promise.withResolvers<void>();
  const probe = defineHandler({
    name: nextName(),
    input: Empty,
    async handle({ key }) {
      if (running.has(key)) maxAtOnce.key += 1;
      running.add(key);
      maxAtOnce.all = Math.max(maxAtOnce.all, running.size);
      // The first run of each key waits until all four keys run.
      if (running.size === 4) together.resolve();
      await together.promise;
      await sleep(10);
      running.delete(key);
      handled += 1;
    },
  });
  await serve(probe);
  await sender.sendMany(Array.from({ length: 60 }, (_, index) => outgoing(probe, `key-${index % 4}`)));
  await until(() => handled === 60);
  expect(maxAtOnce).toEqual({ key: 0, all: 4 });
});

test('the trace of the sender arrives in the handler and continues in the messages that the handler sends', async () => {
  const seen: string[] = [];
  const last = defineHandler({
    name: nextName(),
    input: Empty,
    handle: async ({ trace }) => void seen.push(trace.traceId, trace.spanId),
  });
  const first = defineHandler({
    name: nextName(),
    input: Empty,
    async handle({ trace, send }) {
      seen.push(trace.traceId, trace.spanId);
      send(last, 'other', {});
    },
  });
  await serve(first, last);
  const trace = startTrace();
  await sender.send(first, 'one', {}, { trace: formatTraceparent(trace) });
  await until(() => seen.length === 4);
  expect([seen[0], seen[2]]).toEqual([trace.traceId, trace.traceId]);
  expect(new Set([trace.spanId, seen[1], seen[3]]).size).toBe(3);
});

test('a handler that throws has sent nothing, and once it returns it has sent once', async () => {
  const seen: string[] = [];
  const target = defineHandler({
    name: nextName(),
    input: z.object({ from: z.number() }),
    handle: async ({ input }) => void seen.push(`attempt ${input.from}`),
  });
  const probe = defineHandler({
    name: nextName(),
    input: Empty,
    retry: { initialMs: 20 },
    async handle({ attempt, send }) {
      send(target, 'one', { from: attempt });
      if (attempt < 3) throw new Error('not yet');
    },
  });
  await serve(probe, target);
  await sender.send(probe, 'one', {});
  await until(() => seen.length > 0);
  await sleep(200);
  expect(seen).toEqual(['attempt 3']);
});

test('a delayed send fires once and not before its time, however often it is sent under the same id', async () => {
  const fired: number[] = [];
  const timer = defineHandler({
    name: nextName(),
    input: Empty,
    handle: async () => void fired.push(Date.now()),
  });
  await serve(timer);
  const armedAt = Date.now();
  await sender.send(timer, 'one', {}, { delayMs: 400, dedupe: 'deadline-1' });
  await sender.send(timer, 'one', {}, { delayMs: 100, dedupe: 'deadline-1' });
  await until(() => fired.length > 0);
  await sender.send(timer, 'one', {}, { dedupe: 'deadline-1' });
  await sleep(300);
  expect(fired).toHaveLength(1);
  expect((fired[0] ?? 0) - armedAt).toBeGreaterThanOrEqual(400);
});

test('the same id is another message for another key and for another handler', async () => {
  const seen: string[] = [];
  const record = (name: string) =>
    defineHandler({ name, input: Empty, handle: async ({ key }) => void seen.push(`${name} ${key}`) });
  const [left, right] = [record(nextName()), record(nextName())];
  await serve(left, right);
  for (const [to, key] of [
    [left, 'a'],
    [left, 'b'],
    [right, 'a'],
  ] as const)
    await sender.send(to, key, {}, { dedupe: 'same' });
  await until(() => seen.length === 3);
  expect(new Set(seen)).toEqual(new Set([`${left.name} a`, `${left.name} b`, `${right.name} a`]));
});

test('a poison message is tried again with growing pauses and does not hold other keys', async () => {
  const attempts: number[] = [];
  let others = 0;
  const probe = defineHandler({
    name: nextName(),
    input: Empty,
    retry: { initialMs: 50, factor: 3, maxMs: 10_000 },
    async handle({ key }) {
      if (key !== 'poison') others += 1;
      else {
        attempts.push(performance.now());
        throw new Error('never');
      }
    },
  });
  await serve(probe);
  await sender.send(probe, 'poison', {});
  await until(() => attempts.length >= 2);
  // The poison message is retried forever, so a message that it blocked would never be handled.
  await sender.sendMany(Array.from({ length: 50 }, (_, index) => outgoing(probe, `fine-${index}`)));
  await until(() => others === 50);
  await until(() => attempts.length >= 4);
  const pauses = attempts.slice(1, 4).map((at, index) => at - (attempts[index] ?? 0));
  // Expected pauses are 50, 150 and 450 ms; half of each allows for measuring errors.
  expect([25, 75, 225].filter((least, index) => (pauses[index] ?? 0) < least)).toEqual([]);
});

test('a message that cannot be read is given up, and its key goes on', async () => {
  const seen: number[] = [];
  const probe = defineHandler({
    name: nextName(),
    input: z.object({ count: z.number() }),
    handle: async ({ input }) => void seen.push(input.count),
  });
  await serve(probe);
  await sender.sendMany([outgoing(probe, 'one', { count: 'many' })]);
  await sender.send(probe, 'one', { count: 2 });
  await until(() => seen.length > 0);
  expect(seen).toEqual([2]);
});

test('a handler that gives up after its last attempt lets its key go on', async () => {
  const seen: string[] = [];
  const probe = defineHandler({
    name: nextName(),
    input: z.object({ fails: z.boolean() }),
    retry: { initialMs: 20, maxAttempts: 3 },
    async handle({ input }) {
      seen.push(input.fails ? 'failed' : 'done');
      if (input.fails) throw new Error('never');
    },
  });
  await serve(probe);
  await sender.send(probe, 'one', { fails: true });
  await sender.send(probe, 'one', { fails: false });
  await until(() => seen.includes('done'));
  expect(seen).toEqual(['failed', 'failed', 'failed', 'done']);
});

test('keys may hold any text', async () => {
  const keys = ['a/b', 'ü €', '?x=1&y#z', '%2F', '../up', '🚢'];
  const seen: string[] = [];
  const probe = defineHandler({
    name: nextName(),
    input: Empty,
    async handle({ key, send }) {
      seen.push(key);
      if (!key.startsWith('again ')) send(probeMessage, `again ${key}`, {});
    },
  });
  const probeMessage = defineMessage({ name: probe.name, input: Empty });
  await serve(probe);
  await sender.sendMany(keys.map((key) => outgoing(probe, key)));
  await until(() => seen.length === 2 * keys.length);
  expect(new Set(seen)).toEqual(new Set([...keys, ...keys.map((key) => `again ${key}`)]));
});

test('handlers may be registered again, and a new version at the old address is served', async () => {
  const seen: string[] = [];
  const record = (name: string) => defineHandler({ name, input: Empty, handle: async () => void seen.push(name) });
  const [old, added] = [record(nextName()), record(nextName())];
  const first = await serve(old);
  const port = Number(new URL(first.url).port);
  await first.stop();
  const options = { adminUrl: restate.adminUrl, port, logger: silent };
  const same = await startHandlers({ ...options, handlers: [old] });
  await sender.send(old, 'one', {});
  await until(() => seen.length === 1);
  await same.stop();
  running = await startHandlers({ ...options, handlers: [old, added] });
  await sender.send(added, 'one', {});
  await until(() => seen.length === 2);
  expect(seen).toEqual([old.name, added.name]);
});

test('a stop lets the running call finish', async () => {
  const seen: string[] = [];
  const probe = defineHandler({
    name: nextName(),
    input: Empty,
    async handle() {
      seen.push('begun');
      await sleep(300);
      seen.push('ended');
    },
  });
  const served = await serve(probe);
  await sender.send(probe, 'one', {});
  await until(() => seen.length === 1);
  await served.stop();
  expect(seen).toEqual(['begun', 'ended']);
  // Serves at the same address, where Restate would repeat the call if it had not received its end.
  const port = Number(new URL(served.url).port);
  running = await startHandlers({ handlers: [probe], adminUrl: restate.adminUrl, port, logger: silent });
  await sleep(500);
  expect(seen).toEqual(['begun', 'ended']);
});
