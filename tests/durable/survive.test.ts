// Processes are killed in the middle of work; every piece of it is done exactly once.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHandlers } from '@berth/durable';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/engines/free-port.ts';
import { type Bed, makeBed, until } from './bed.ts';
import { silent, workHandlers, workMessage } from './work.ts';

let bed: Bed;
beforeAll(async () => {
  bed = await makeBed();
});
afterAll(() => bed[Symbol.asyncDispose]());

const handlersAt = (port: number) => ({
  role: 'handlers' as const,
  databaseUrl: bed.databaseUrl,
  adminUrl: bed.restate.adminUrl,
  port,
});

test('a message survives SIGKILL of the process that handles it', async () => {
  await bed.addWork(['killed-handler']);
  const port = await freePort();
  const first = await bed.spawn(handlersAt(port));
  await bed.sender.send(workMessage, 'killed-handler', { holdMs: 500 });
  await until(async () => (await bed.runsOf('killed-handler')).length === 1);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = await bed.spawn(handlersAt(port));
  await until(async () => (await bed.runsOf('killed-handler'))[1]?.ended !== undefined);
  second.kill('SIGKILL');
  const runs = await bed.runsOf('killed-handler');
  expect(runs.map(({ pid, ended }) => [pid, ended !== undefined])).toEqual([
    [first.pid, false],
    [second.pid, true],
  ]);
  expect(await bed.effects()).toMatchObject({ 'killed-handler': 1 });
});

test('a process killed after its write and before its answer leads to one effect', async () => {
  await bed.addWork(['killed-late']);
  const port = await freePort();
  const first = await bed.spawn(handlersAt(port));
  await bed.sender.send(workMessage, 'killed-late', { holdAfterMs: 500 });
  await bed.allDone();
  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = await bed.spawn(handlersAt(port));
  await until(async () => (await bed.runsOf('killed-late'))[1]?.ended !== undefined);
  second.kill('SIGKILL');
  expect(await bed.effects()).toMatchObject({ 'killed-late': 1 });
});

test('a message survives SIGKILL of Restate before anyone handled it', async () => {
  await bed.addWork(['killed-engine']);
  await bed.sender.send(workMessage, 'killed-engine', {});
  await bed.restate.kill();
  await bed.restate.start();
  const handlers = await startHandlers({
    handlers: workHandlers(bed.database),
    adminUrl: bed.restate.adminUrl,
    port: 0,
    logger: silent,
  });
  await bed.allDone();
  await handlers.stop();
  expect(await bed.effects()).toMatchObject({ 'killed-engine': 1 });
});

test('when two runs of one key overlap, compare-and-set lets one through and the other changes nothing', async () => {
  const keys = Array.from({ length: 10 }, (_, index) => `overlap-${index}`);
  await bed.addWork(keys);
  const handlers = await startHandlers({
    handlers: workHandlers(bed.database),
    adminUrl: bed.restate.adminUrl,
    port: 0,
    logger: silent,
  });
  for (const key of keys) await bed.sender.send(workMessage, key, { holdMs: 6_000 });
  await until(async () => (await bed.runsOf('overlap-9')).length === 1);
  // The runs continue, but the restarted Restate does not know them and begins each run again.
  await bed.restate.kill();
  await bed.restate.start();
  const overlapping = async (): Promise<number> => {
    const runs = await Promise.all(keys.map((key) => bed.runsOf(key)));
    return runs.filter(([one, two]) => one?.ended !== undefined && two !== undefined && two.started < one.ended).length;
  };
  await until(async () => (await Promise.all(keys.map((key) => bed.runsOf(key)))).every((runs) => runs[1]?.ended));
  await handlers.stop();
  expect(await overlapping()).toBeGreaterThan(0);
  expect(await bed.effects()).toMatchObject(Object.fromEntries(keys.map((key) => [key, 1])));
});

test('a delayed send fires once and after its time, also across a restart of Restate', async () => {
  await bed.addWork(['delayed']);
  const handlers = await startHandlers({
    handlers: workHandlers(bed.database),
    adminUrl: bed.restate.adminUrl,
    port: 0,
    logger: silent,
  });
  const armedAt = Date.now();
  const timer = { delayMs: 2_500, dedupe: 'deadline' };
  await bed.sender.send(workMessage, 'delayed', {}, timer);
  await bed.restate.stop();
  await bed.restate.start();
  await bed.sender.send(workMessage, 'delayed', {}, timer);
  await bed.allDone();
  await sleep(500);
  await handlers.stop();
  const runs = await bed.runsOf('delayed');
  expect(runs).toHaveLength(1);
  expect((runs[0]?.started ?? 0) - armedAt).toBeGreaterThanOrEqual(2_500);
});
