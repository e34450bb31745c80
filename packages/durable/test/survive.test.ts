// Processes are killed in the middle of work; every piece of it is done exactly once.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHandlers } from '@berth/durable';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../engines/free-port.ts';
import { until } from '../../../tests/harness/until.ts';
import { type DatabaseAndRestate, startDatabaseAndRestate } from './database-and-restate.ts';
import { silent, workHandlers, workMessage } from './work.ts';

let engines: DatabaseAndRestate;
beforeAll(async () => {
  engines = await startDatabaseAndRestate();
});
afterAll(() => engines[Symbol.asyncDispose]());

const handlersAt = (port: number) => ({
  role: 'handlers' as const,
  databaseUrl: engines.databaseUrl,
  adminUrl: engines.restate.adminUrl,
  port,
});

test('a message survives SIGKILL of the process that handles it', async () => {
  await engines.addWork(['killed-handler']);
  const port = await freePort();
  const first = await engines.spawn(handlersAt(port));
  await engines.sender.send(workMessage, 'killed-handler', { holdMs: 500 });
  await until(async () => (await engines.runsOf('killed-handler')).length === 1);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = await engines.spawn(handlersAt(port));
  await until(async () => (await engines.runsOf('killed-handler'))[1]?.ended !== undefined);
  second.kill('SIGKILL');
  const runs = await engines.runsOf('killed-handler');
  expect(runs.map(({ pid, ended }) => [pid, ended !== undefined])).toEqual([
    [first.pid, false],
    [second.pid, true],
  ]);
  expect(await engines.effects()).toMatchObject({ 'killed-handler': 1 });
});

test('a process killed after its write and before its answer leads to one effect', async () => {
  await engines.addWork(['killed-late']);
  const port = await freePort();
  const first = await engines.spawn(handlersAt(port));
  await engines.sender.send(workMessage, 'killed-late', { holdAfterMs: 500 });
  await engines.allDone();
  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = await engines.spawn(handlersAt(port));
  await until(async () => (await engines.runsOf('killed-late'))[1]?.ended !== undefined);
  second.kill('SIGKILL');
  expect(await engines.effects()).toMatchObject({ 'killed-late': 1 });
});

test('a message survives SIGKILL of Restate before a handler took it', async () => {
  await engines.addWork(['killed-engine']);
  await engines.sender.send(workMessage, 'killed-engine', {});
  await engines.restate.kill();
  await engines.restate.start();
  const handlers = await startHandlers({
    handlers: workHandlers(engines.database),
    adminUrl: engines.restate.adminUrl,
    port: 0,
    logger: silent,
  });
  await engines.allDone();
  await handlers.stop();
  expect(await engines.effects()).toMatchObject({ 'killed-engine': 1 });
});

test('when two runs of one key overlap, compare-and-set lets one through and the other changes nothing', async () => {
  const keys = Array.from({ length: 10 }, (_, index) => `overlap-${index}`);
  await engines.addWork(keys);
  const handlers = await startHandlers({
    handlers: workHandlers(engines.database),
    adminUrl: engines.restate.adminUrl,
    port: 0,
    logger: silent,
  });
  for (const key of keys) await engines.sender.send(workMessage, key, { holdMs: 6_000 });
  await until(async () => (await engines.runsOf('overlap-9')).length === 1);
  // The runs continue, but the restarted Restate does not know them and begins each run again.
  await engines.restate.kill();
  await engines.restate.start();
  const overlapping = async (): Promise<number> => {
    const runs = await Promise.all(keys.map((key) => engines.runsOf(key)));
    return runs.filter(([one, two]) => one?.ended !== undefined && two !== undefined && two.started < one.ended).length;
  };
  await until(async () => (await Promise.all(keys.map((key) => engines.runsOf(key)))).every((runs) => runs[1]?.ended));
  await handlers.stop();
  expect(await overlapping()).toBeGreaterThan(0);
  expect(await engines.effects()).toMatchObject(Object.fromEntries(keys.map((key) => [key, 1])));
});

test('a delayed send fires once and after its time, also across a restart of Restate', async () => {
  await engines.addWork(['delayed']);
  const handlers = await startHandlers({
    handlers: workHandlers(engines.database),
    adminUrl: engines.restate.adminUrl,
    port: 0,
    logger: silent,
  });
  const armedAt = Date.now();
  const timer = { delayMs: 2_500, dedupe: 'deadline' };
  await engines.sender.send(workMessage, 'delayed', {}, timer);
  await engines.restate.stop();
  await engines.restate.start();
  await engines.sender.send(workMessage, 'delayed', {}, timer);
  await engines.allDone();
  await sleep(500);
  await handlers.stop();
  const runs = await engines.runsOf('delayed');
  expect(runs).toHaveLength(1);
  expect((runs[0]?.started ?? 0) - armedAt).toBeGreaterThanOrEqual(2_500);
});
