import { setTimeout as sleep } from 'node:timers/promises';
import { nodePaths, nodeProtocol } from '@berth/contract/node';
import { outboxKeys } from '@berth/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiWithMachines } from './api-with-machines.ts';

let deployment: ApiWithMachines;
beforeAll(async () => {
  deployment = await ApiWithMachines.start();
});
afterAll(() => deployment[Symbol.asyncDispose]());

test('a stream begins with everything that should run, secrets opened, and goes on with changes', async () => {
  const machine = await deployment.join();
  const first = await deployment.place(machine.identity.runnerId, 'first secret');
  const leaving = await deployment.place(machine.identity.runnerId);
  await deployment.retire(leaving.id);
  const stream = await machine.connect();
  expect(await stream.next()).toMatchObject({
    type: 'all',
    instances: [{ id: first.id, memoryMb: 512, env: { PLAIN: 'text', SECRET: 'first secret' } }],
    gone: [leaving.id],
  });
  const second = await deployment.place(machine.identity.runnerId);
  expect(await stream.next()).toMatchObject({ type: 'set', instance: { id: second.id } });
  await deployment.retire(first.id);
  expect(await stream.next()).toEqual({ type: 'unset', id: first.id, isLeaving: false });
  stream.close();
});

test('a row that the previous release wrote without a mode is sent with the mode that it has', async () => {
  const machine = await deployment.join();
  const { runnerId } = machine.identity;
  const server = await deployment.place(runnerId, 'x', { mode: undefined });
  const box = await deployment.place(runnerId, 'x', { mode: undefined, sandbox: { idleSeconds: 15 } });
  expect((await deployment.instance(box.id)).spec).not.toHaveProperty('mode');
  const stream = await machine.connect();
  expect(await stream.next()).toMatchObject({
    type: 'all',
    instances: [
      { id: server.id, mode: 'serve' },
      { id: box.id, mode: 'sandbox', sandbox: { idleSeconds: 15 } },
    ],
  });
  stream.close();
});

test('an instance that should leave is sent to its runner, and again when it has to be gone', async () => {
  const machine = await deployment.join();
  const { id } = await deployment.place(machine.identity.runnerId);
  const stream = await machine.connect();
  await stream.next();
  await deployment.retire(id, 'leaving');
  expect(await stream.next()).toEqual({ type: 'unset', id, isLeaving: true });
  const next = await machine.connect();
  expect(await next.next()).toMatchObject({ type: 'all', instances: [], leaving: [id], gone: [] });
  await deployment.retire(id, 'gone');
  expect(await next.next()).toEqual({ type: 'unset', id, isLeaving: false });
  next.close();
});

const grow = (id: string, generation: number) =>
  deployment.api.database.updateTable('instances').set({ generation }).where('id', '=', id).execute();

test('a new generation without a notification is still sent, some seconds later', async () => {
  const machine = await deployment.join();
  const { id } = await deployment.place(machine.identity.runnerId);
  const stream = await machine.connect();
  await stream.next();
  // By then the notification of the placement has usually been processed.
  await sleep(500);
  await grow(id, 2);
  expect(await stream.next()).toMatchObject({ type: 'set', instance: { id, generation: 2 } });
  stream.close();
});

test('a generation that the runner says it has is not sent to it, the next one is', async () => {
  const machine = await deployment.join();
  const { id } = await deployment.place(machine.identity.runnerId);
  const stream = await machine.connect();
  await stream.next();
  // Both columns change in one statement, before the stream polls again.
  await deployment.api.database
    .updateTable('instances')
    .set({ generation: 2, applied_generation: 2 })
    .where('id', '=', id)
    .execute();
  const other = await deployment.place(machine.identity.runnerId);
  expect(await stream.next()).toMatchObject({ type: 'set', instance: { id: other.id } });
  await grow(id, 3);
  expect(await stream.next()).toMatchObject({ type: 'set', instance: { id, generation: 3 } });
  stream.close();
});

test('a runner hears of its own instances alone', async () => {
  const [one, other] = [await deployment.join(), await deployment.join()];
  await deployment.place(one.identity.runnerId);
  const stream = await other.connect();
  expect(await stream.next()).toMatchObject({ type: 'all', instances: [] });
  stream.close();
});

test('a new stream ends the older one, whose words are not heard any more', async () => {
  const machine = await deployment.join();
  const { id } = await deployment.place(machine.identity.runnerId);
  const older = await machine.connect();
  const newer = await machine.connect();
  expect(newer.session).toBeGreaterThan(older.session);
  await older.ended;
  const report = { instance: id, sequence: 99, state: 'ready', starts: 1 } as const;
  expect(await machine.report(older.session, report)).toBe(409);
  expect(await machine.heartbeat(older.session)).toBe(409);
  expect((await deployment.instance(id)).state).toBe('placed');
  expect(await machine.report(newer.session, report)).toBe(200);
  expect((await deployment.instance(id)).state).toBe('ready');
  newer.close();
});

test('a runner that connects is up, with the capabilities it offers', async () => {
  const machine = await deployment.join();
  const stream = await machine.connect();
  expect(await deployment.runner(machine.identity.runnerId)).toMatchObject({
    status: 'up',
    memory_mb: 4_096,
    isolation: ['runc'],
    max_tasks: 0,
    last_seen_at: expect.any(Date),
  });
  stream.close();
});

test('waiting tasks are dispatched when a runner that runs tasks connects, and only then', async () => {
  const dispatches = async () => (await deployment.topics(outboxKeys.dispatch)).length;
  const machine = await deployment.join();
  const { runnerId } = machine.identity;
  const before = await dispatches();
  (await machine.connect()).close();
  expect(await dispatches()).toBe(before);
  const stream = await machine.connect({ maxTasks: 12 });
  expect(await dispatches()).toBe(before + 1);
  expect(await deployment.runner(runnerId)).toMatchObject({ max_tasks: 12 });
  stream.close();
});

test('an attempt that has ended is unset, so that its runner removes it', async () => {
  const machine = await deployment.join();
  const { id } = await deployment.placeAttempt(machine.identity.runnerId);
  const stream = await machine.connect({ maxTasks: 1 });
  expect(await stream.next()).toMatchObject({ type: 'all', instances: [{ id, mode: 'task', timeoutSeconds: 60 }] });
  const result = { reason: 'timeout', ranMs: 60_000, endedMsAgo: 5 } as const;
  await machine.report(stream.session, { instance: id, sequence: 1, state: 'ended', starts: 1, result });
  expect(await stream.next()).toEqual({ type: 'unset', id, isLeaving: false });
  stream.close();
});

test.each([
  ['the release before, which names no range', { protocol: nodeProtocol.oldest }],
  ['this release', { protocol: nodeProtocol.newest, oldestProtocol: nodeProtocol.oldest }],
  [
    'the next release',
    { protocol: nodeProtocol.newest + 1, oldestProtocol: nodeProtocol.newest, unknown: { field: 1 } },
  ],
])('a runner of %s gets its stream', async (_, words) => {
  const machine = await deployment.join();
  const stream = await machine.connect(words);
  expect(stream.protocol).toBeGreaterThanOrEqual(nodeProtocol.oldest);
  expect(stream.protocol).toBeLessThanOrEqual(nodeProtocol.newest);
  expect(await stream.next()).toMatchObject({ type: 'all' });
  stream.close();
});

test('a runner that speaks no protocol of this api is refused with both ranges and the next step', async () => {
  const machine = await deployment.join();
  const hello = { version: 'test', isolation: ['runc'], memoryMb: 4_096, cpus: 2, protocol: 98, oldestProtocol: 97 };
  const { status, body } = await machine.client.post(nodePaths.stream, hello);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('node protocol 1, the runner 97 to 98');
  expect(JSON.stringify(body)).toContain('berth-server upgrade');
  const runner = await deployment.api.database
    .selectFrom('runners')
    .select('session')
    .where('id', '=', machine.identity.runnerId)
    .executeTakeFirstOrThrow();
  expect(Number(runner.session)).toBe(0);
});
