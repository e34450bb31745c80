import { setTimeout as sleep } from 'node:timers/promises';
import { outboxKeys, uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiWithMachines } from './api-with-machines.ts';

let deployment: ApiWithMachines;
beforeAll(async () => {
  deployment = await ApiWithMachines.start(6);
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** Makes the runner look silent for longer than the limit, and waits until it is marked as lost. */
async function loseRunner(runnerId: string): Promise<void> {
  await sql`update runners set last_seen_at = last_seen_at - interval '7 seconds' where id = ${runnerId}`.execute(
    deployment.api.database,
  );
  const status = async () => (await deployment.runner(runnerId)).status;
  await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe('lost');
}

test('a silent runner is declared lost, a reporting one is not, and a returning one is told to remove its instances', async () => {
  const [silent, speaking] = [await deployment.join(), await deployment.join()];
  const streams = [await silent.connect(), await speaking.connect()] as const;
  const { id, resourceUid } = await deployment.place(silent.identity.runnerId);
  const { id: kept } = await deployment.place(speaking.identity.runnerId);
  // The end of the test may cut off the last heartbeat.
  const beating = setInterval(() => void speaking.heartbeat(streams[1].session).catch(() => {}), 500);
  try {
    const status = async () => (await deployment.runner(silent.identity.runnerId)).status;
    await loseRunner(silent.identity.runnerId);
    expect(await deployment.instance(id)).toMatchObject({ state: 'lost', ended_at: expect.any(Date) });
    expect(await deployment.runner(silent.identity.runnerId)).toMatchObject({ reserved_mb: 0 });
    expect(await deployment.reconciles(resourceUid)).toBe(1);
    expect(await deployment.instance(kept)).toMatchObject({ state: 'placed', ended_at: null });
    expect(await deployment.runner(speaking.identity.runnerId)).toMatchObject({ status: 'up' });

    // The stream stayed open: on it the runner receives the order to remove the instance.
    expect(await streams[0].next()).toMatchObject({ type: 'all' });
    expect(await silent.heartbeat(streams[0].session)).toBe(200);
    expect(await status()).toBe('up');
    // The instance may be part of the first message, or arrive in a `set` after it, depending on timing.
    let message = await streams[0].next();
    if (message.type === 'set') message = await streams[0].next();
    expect(message).toEqual({ type: 'unset', id, isLeaving: false });
    const late = { instance: id, sequence: 1, state: 'ready', starts: 1 } as const;
    await silent.report(streams[0].session, late);
    expect((await deployment.instance(id)).state).toBe('lost');
  } finally {
    clearInterval(beating);
  }
});

const sandbox = { mode: 'sandbox', sandbox: { idleSeconds: 15 } };

/** Inserts a warm instance, with the same rows that the orchestrator writes. */
async function placeWaiting(runnerId: string): Promise<string> {
  const id = uuidv7();
  const spec = {
    image: 'tiny',
    isolation: 'runc',
    memoryMb: 512,
    cpus: 1,
    port: 8080,
    startTimeoutSeconds: 45,
    env: [],
  };
  await sql`insert into instances (id, pool, revision, runner_id, spec, reserved_mb, state, ready_at)
    values (${id}, 'runc tiny', 'warm', ${runnerId}, ${JSON.stringify({ ...spec, ...sandbox })}, 64, 'ready', now())`.execute(
    deployment.api.database,
  );
  await sql`update runners set reserved_mb = reserved_mb + 64 where id = ${runnerId}`.execute(deployment.api.database);
  return id;
}

test('a used sandbox stays with its lost runner, every other instance ends, and reservations are right before and after', async () => {
  const machine = await deployment.join();
  const { runnerId } = machine.identity;
  const stream = await machine.connect({ warm: [{ image: 'tiny', count: 1 }] });
  const [agent, used, fresh] = [
    await deployment.place(runnerId),
    await deployment.place(runnerId, 'x', sandbox),
    await deployment.place(runnerId, 'x', sandbox),
  ];
  const waiting = await placeWaiting(runnerId);
  await machine.report(stream.session, { instance: used.id, sequence: 1, state: 'ready', starts: 1 });
  await sql`truncate outbox`.execute(deployment.api.database);
  const status = async () => (await deployment.runner(runnerId)).status;
  await loseRunner(runnerId);

  expect(await deployment.instance(used.id)).toMatchObject({ state: 'ready', desired: 'running', ended_at: null });
  for (const id of [agent.id, fresh.id, waiting])
    expect(await deployment.instance(id)).toMatchObject({ state: 'lost', desired: 'gone', ended_at: expect.any(Date) });
  expect(await deployment.runner(runnerId)).toMatchObject({ reserved_mb: 512 });
  for (const { resourceUid } of [agent, used, fresh]) expect(await deployment.reconciles(resourceUid)).toBe(1);
  expect(await deployment.reconciles(runnerId)).toBe(0);

  // The runner is seen again on the stream that stayed open: its pool and its sandbox are reconciled.
  expect(await machine.heartbeat(stream.session)).toBe(200);
  expect(await status()).toBe('up');
  expect([await deployment.reconciles(runnerId), await deployment.reconciles(used.resourceUid)]).toEqual([1, 2]);
  expect(await machine.heartbeat(stream.session)).toBe(200);
  expect(await deployment.reconciles(runnerId)).toBe(1);
  expect(await deployment.instance(used.id)).toMatchObject({ state: 'ready', desired: 'running', ended_at: null });
  stream.close();
});

test('a runner that comes back with a new stream is handed its sandbox again, and its pool is looked at', async () => {
  const machine = await deployment.join();
  const { runnerId } = machine.identity;
  const first = await machine.connect();
  const { id, resourceUid } = await deployment.place(runnerId, 'x', sandbox);
  await machine.report(first.session, { instance: id, sequence: 1, state: 'ready', starts: 1 });
  first.close();
  await loseRunner(runnerId);
  await sql`truncate outbox`.execute(deployment.api.database);
  const second = await machine.connect();
  expect(await second.next()).toMatchObject({ type: 'all', instances: [{ id }], gone: [] });
  expect([await deployment.reconciles(runnerId), await deployment.reconciles(resourceUid)]).toEqual([1, 1]);
  expect(await deployment.runner(runnerId)).toMatchObject({ status: 'up', reserved_mb: 512 });
  second.close();
});

test('attempts of a lost runner are sent to their executions, a recorded result stays, and late reports change nothing', async () => {
  const machine = await deployment.join();
  const { runnerId } = machine.identity;
  const stream = await machine.connect({ maxTasks: 4 });
  const executionId = uuidv7();
  const running = await deployment.placeAttempt(runnerId, executionId, 0);
  const starting = await deployment.placeAttempt(runnerId, executionId, 1);
  const ended = await deployment.placeAttempt(runnerId);
  const result = { reason: 'exited', exitCode: 0, ranMs: 10, endedMsAgo: 0 } as const;
  const report = { sequence: 1, starts: 1 };
  await machine.report(stream.session, { ...report, instance: running.id, state: 'ready' });
  await machine.report(stream.session, { ...report, instance: ended.id, state: 'ended', result, message: 'Done.' });
  await sql`truncate outbox`.execute(deployment.api.database);
  await loseRunner(runnerId);

  for (const { id } of [running, starting])
    expect(await deployment.instance(id)).toMatchObject({ state: 'lost', result: null, ended_at: expect.any(Date) });
  expect(await deployment.instance(ended.id)).toMatchObject({
    state: 'ended',
    message: 'Done.',
    result: { reason: 'exited', exitCode: 0 },
    ended_at: expect.any(Date),
  });
  expect(await deployment.runner(runnerId)).toMatchObject({ reserved_mb: 0 });
  expect(await deployment.topics(executionId)).toEqual(['execution']);
  expect(await deployment.topics(running.resourceUid)).toEqual([]);

  // The runner is back: it has room for tasks again, and what it says about its old attempts comes too late.
  expect(await machine.heartbeat(stream.session)).toBe(200);
  expect(await deployment.topics(outboxKeys.dispatch)).toEqual(['dispatch']);
  const before = await deployment.instance(running.id);
  await machine.report(stream.session, { instance: running.id, sequence: 2, starts: 1, state: 'ended', result });
  expect(await deployment.instance(running.id)).toEqual(before);
  expect(await deployment.runner(runnerId)).toMatchObject({ reserved_mb: 0 });
  expect(await deployment.topics(executionId)).toEqual(['execution']);
  stream.close();
});

test('an api that was paused for longer than that declares no runner lost when it continues', async () => {
  await using stopped = await ApiWithMachines.start(3_600);
  const { runnerId } = (await stopped.join()).identity;
  await sql`update runners set status = 'up', last_seen_at = clock_timestamp() - interval '2 hours'`.execute(
    stopped.api.database,
  );
  const now = performance.now.bind(performance);
  const jump = vi.spyOn(performance, 'now').mockImplementation(() => now() + 7_200_000);
  // The api checks for lost runners every 2.5 seconds.
  await sleep(3_000);
  jump.mockRestore();
  expect(await stopped.runner(runnerId)).toMatchObject({ status: 'up' });
});
