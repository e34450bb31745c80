// From a committed row to a handled message.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNotifier, enqueue, listen, nilUuid, outboxChannel } from '@berth/database';
import {
  createSender,
  defineHandler,
  type Outgoing,
  type RunningHandlers,
  type Sender,
  startHandlers,
  startRelay,
} from '@berth/durable';
import { formatTraceparent, startTrace } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../engines/free-port.ts';
import { until } from '../../../tests/harness/until.ts';
import { type DatabaseAndRestate, startDatabaseAndRestate } from './database-and-restate.ts';
import { silent, workHandlers } from './work.ts';

let engines: DatabaseAndRestate;
let handlers: RunningHandlers;
const traces: string[] = [];

beforeAll(async () => {
  engines = await startDatabaseAndRestate();
  const traced = defineHandler({
    name: 'traced',
    input: z.object({}),
    handle: async ({ trace }) => void traces.push(trace.traceId),
  });
  handlers = await startHandlers({
    handlers: [...workHandlers(engines.database), traced],
    adminUrl: engines.restate.adminUrl,
    port: 0,
    logger: silent,
    checkEveryMs: 500,
  });
});
beforeEach(async () => {
  await sql`truncate work, runs, effects, outbox`.execute(engines.database);
});
afterAll(async () => {
  await handlers.stop();
  await engines[Symbol.asyncDispose]();
});

const relay = (options: { sender?: Sender; pollMs?: number; pollMinAgeMs?: number; batchSize?: number } = {}) =>
  startRelay({
    database: engines.database,
    databaseUrl: engines.databaseUrl,
    sender: engines.sender,
    logger: silent,
    ...options,
  });
const write = (keys: readonly string[]): Promise<void> =>
  engines.database.transaction().execute(async (tx) => {
    await sql`insert into work (key) select unnest(${[...keys]}::text[])`.execute(tx);
    for (const key of keys) await enqueue(tx, { topic: 'reconcile', key, workspaceId: nilUuid });
  });
const rowsLeft = async (): Promise<number> =>
  (await sql<{ count: number }>`select count(*)::int as count from outbox`.execute(engines.database)).rows[0]?.count ??
  -1;
const isListening = async (): Promise<boolean> => {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and query ilike 'listen %'`.execute(engines.database);
  return rows.length > 0;
};
const succeeds = (what: Promise<void>): Promise<boolean> =>
  what.then(
    () => true,
    () => false,
  );
const keysOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(3, '0')}`);
const onceEach = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, 1]));
/** Records the messages and passes them on. */
const counting = (sent: Outgoing[]): Sender => ({
  ...engines.sender,
  sendMany(messages) {
    sent.push(...messages);
    return engines.sender.sendMany(messages);
  },
});

test('a row leads to its effect and is removed; a rolled-back row has no effect', async () => {
  const running = relay({ pollMs: 20 });
  await write(['kept']);
  await engines.database
    .transaction()
    .execute(async (tx) => {
      await enqueue(tx, { topic: 'reconcile', key: 'rolled-back', workspaceId: nilUuid });
      throw new Error('rolled back');
    })
    .catch(() => {});
  await engines.allDone();
  await until(async () => (await rowsLeft()) === 0);
  await running.stop();
  expect(await engines.runsOf('rolled-back')).toEqual([]);
  expect(await engines.effects()).toEqual({ kept: 1 });
});

test('the notifier wakes the relay long before it would look by itself', async () => {
  const running = relay({ pollMs: 3_600_000 });
  const notify = createNotifier(engines.database, outboxChannel);
  await sleep(300);
  await write(['notified']);
  notify();
  await engines.allDone();
  await running.stop();
});

test('a row without a notification is found by polling', async () => {
  const running = relay({ pollMs: 50 });
  await sleep(200);
  await write(['silent']);
  await engines.allDone();
  await running.stop();
});

test('a row without a notification waits until it is old enough, or is sent with the next notified row', async () => {
  const sent: Outgoing[] = [];
  const running = relay({ pollMs: 50, pollMinAgeMs: 3_600_000, sender: counting(sent) });
  const isSent = (key: string): boolean => sent.some((message) => message.key === key);
  await until(isListening);
  // A relay polls once when it begins to listen, which may already send some of the rows.
  let waiting: string | undefined;
  for (const key of ['one', 'two', 'three']) {
    await write([key]);
    await sleep(500);
    if (!isSent(key)) {
      waiting = key;
      break;
    }
  }
  if (waiting === undefined) throw new Error('what nobody announced has left at once');
  await sql`update outbox set created_at = created_at - interval '2 hours'`.execute(engines.database);
  await until(() => isSent(waiting));
  await write(['later']);
  await sleep(200);
  expect(isSent('later')).toBe(false);
  createNotifier(engines.database, outboxChannel)();
  await until(() => isSent('later'));
  await engines.allDone();
  await running.stop();
});

test('a thousand notifications at once wake the relay twice: at once, and for all the others together', async () => {
  let heard = 0;
  const listener = listen({ url: engines.databaseUrl, channel: outboxChannel, onNotification: () => (heard += 1) });
  await until(() => heard === 1);
  const notify = createNotifier(engines.database, outboxChannel);
  for (let index = 0; index < 1_000; index += 1) notify();
  await until(() => heard === 3);
  await sleep(200);
  await listener.close();
  expect(heard - 1).toBe(2);
});

test('a relay killed between send and delete leads to one run of each message', async () => {
  const keys = keysOf('killed', 20);
  await write(keys);
  const killed = await engines.spawn({
    role: 'relay',
    databaseUrl: engines.databaseUrl,
    ingressUrl: engines.restate.ingressUrl,
  });
  if (killed.signalCode === null) await once(killed, 'exit');
  expect(killed.signalCode).toBe('SIGKILL');
  expect(await rowsLeft()).toBe(20);
  await engines.allDone();
  const sent: Outgoing[] = [];
  const running = relay({ sender: counting(sent) });
  await until(async () => (await rowsLeft()) === 0);
  await sleep(300);
  await running.stop();
  expect(sent).toHaveLength(20);
  expect(await engines.effects()).toEqual(onceEach(keys));
  for (const key of keys) expect(await engines.runsOf(key)).toHaveLength(1);
});

test('several relays share the rows: each row is sent by one of them', async () => {
  const keys = keysOf('shared', 300);
  await write(keys);
  const sent: Outgoing[] = [];
  const relays = Array.from({ length: 3 }, () => relay({ sender: counting(sent), batchSize: 20 }));
  await engines.allDone();
  await until(async () => (await rowsLeft()) === 0);
  await Promise.all(relays.map((running) => running.stop()));
  expect(sent.map(({ key }) => key).toSorted()).toEqual(keys);
});

test('rows leave oldest first', async () => {
  const keys = keysOf('order', 30);
  for (const key of keys) await write([key]);
  const sent: Outgoing[] = [];
  const running = relay({ sender: counting(sent), batchSize: 10 });
  await until(async () => (await rowsLeft()) === 0);
  await running.stop();
  expect(sent.map(({ key }) => key)).toEqual(keys);
});

test('rows that say the same leave as one message, and none of them stays', async () => {
  const sent: Outgoing[] = [];
  await write(['same', 'other']);
  for (let more = 0; more < 2; more += 1)
    await engines.database
      .transaction()
      .execute((tx) => enqueue(tx, { topic: 'reconcile', key: 'same', workspaceId: nilUuid }));
  const running = relay({ pollMs: 20, sender: counting(sent) });
  await until(async () => (await rowsLeft()) === 0);
  await running.stop();
  expect(sent.map(({ key }) => key)).toEqual(['same', 'other']);
});

test('while Restate is away rows wait and the relay asks ever less often; then they leave', async () => {
  const sent: Outgoing[] = [];
  await engines.restate.stop();
  const running = relay({ sender: counting(sent), pollMs: 10, batchSize: 5 });
  await write(keysOf('away', 5));
  await sleep(2_000);
  expect(await rowsLeft()).toBe(5);
  // Backoff of 100, 200, 400, 800 … ms with up to half as jitter: about five rounds of five; without it, hundreds.
  expect(sent.length).toBeLessThanOrEqual(50);
  await engines.restate.start();
  await engines.allDone();
  await until(async () => (await rowsLeft()) === 0);
  await running.stop();
  expect(await engines.effects()).toEqual(onceEach(keysOf('away', 5)));
});

test('rows that Restate refuses stay and do not stand in the way of the others', async () => {
  await sql`insert into outbox (topic, key) select 'no-such-handler', n::text from generate_series(1, 10) n`.execute(
    engines.database,
  );
  const keys = keysOf('behind', 10);
  await write(keys);
  const running = relay({ pollMs: 20, batchSize: 4 });
  await engines.allDone();
  await until(async () => (await rowsLeft()) === 10);
  await running.stop();
  expect(await engines.effects()).toEqual(onceEach(keys));
});

test('the trace of the write arrives in the handler', async () => {
  const trace = startTrace();
  await sql`insert into outbox (topic, key, trace) values ('traced', 'one', ${formatTraceparent(trace)})`.execute(
    engines.database,
  );
  const running = relay();
  await until(() => traces.length > 0);
  await running.stop();
  expect(traces).toEqual([trace.traceId]);
});

test('a relay outlives the loss of its database connections', async () => {
  const running = relay({ pollMs: 50 });
  await sleep(200);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(engines.database);
  // Each pooled connection of the test may turn out to be broken once.
  await until(() => succeeds(write(['after'])));
  await until(() => succeeds(engines.allDone()));
  await running.stop();
  expect(await engines.effects()).toEqual({ after: 1 });
});

test('a sender says of each message whether it arrived', async () => {
  const port = await freePort();
  const nobody = createSender({ ingressUrl: `http://127.0.0.1:${port}`, timeoutMs: 500 });
  const to = { name: 'traced' };
  const [gone] = await nobody.sendMany([{ to, key: 'one', message: {} }]);
  expect(gone).toMatchObject({ name: 'SendFailed', status: undefined, isRefusal: false });
  const results = await engines.sender.sendMany([
    { to, key: 'one', message: {} },
    { to: { name: 'no-such-handler' }, key: 'one', message: {} },
  ]);
  expect(results).toEqual([undefined, expect.objectContaining({ status: 404, isRefusal: true })]);
});
