// Reports about attempts of tasks. An attempt ends once; its memory is free from then on, before its removal.
import type { InstanceReport } from '@berth/contract/node';
import { uuidv7 } from '@berth/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiWithMachines, type Machine } from './api-with-machines.ts';

let deployment: ApiWithMachines;
let machine: Machine;
let session: number;
beforeAll(async () => {
  deployment = await ApiWithMachines.start();
  machine = await deployment.join();
  ({ session } = await machine.connect({ maxTasks: 100 }));
});
afterAll(() => deployment[Symbol.asyncDispose]());

const report = (instance: string, sequence: number, rest: Partial<InstanceReport>): InstanceReport => ({
  instance,
  sequence,
  state: 'ended',
  starts: 1,
  ...rest,
});
const exited = (exitCode: number, times: object = {}) =>
  ({ reason: 'exited', exitCode, endedMsAgo: 0, ...times }) as const;
const place = (executionId?: string, taskIndex?: number) =>
  deployment.placeAttempt(machine.identity.runnerId, executionId, taskIndex);
const reservedMb = async () => (await deployment.runner(machine.identity.runnerId)).reserved_mb;

test('an attempt ends once: result, times, order of removal and memory are recorded together, and a repetition changes nothing', async () => {
  const before = await reservedMb();
  const { id, executionId } = await place();
  expect(await reservedMb()).toBe(before + 512);
  const result = exited(3, { ranMs: 20_000, endedMsAgo: 5_000 });
  await machine.report(session, report(id, 1, { result, message: 'no such file' }));
  const ended = await deployment.instance(id);
  expect(ended).toMatchObject({
    state: 'ended',
    desired: 'gone',
    message: 'no such file',
    result: { reason: 'exited', exitCode: 3 },
    reserved_mb: 0,
    ended_at: null,
    settled_at: null,
  });
  const [startedAt, finishedAt] = [ended.ready_at?.getTime() ?? 0, ended.finished_at?.getTime() ?? 0];
  expect(finishedAt - startedAt).toBe(20_000);
  expect(Date.now() - finishedAt).toBeGreaterThanOrEqual(4_900);
  expect(Date.now() - finishedAt).toBeLessThan(60_000);
  expect(await reservedMb()).toBe(before);
  expect(await deployment.topics(executionId)).toEqual(['execution']);

  await machine.report(session, report(id, 1, { result: exited(0) }));
  await machine.report(session, report(id, 2, { result: exited(0), message: 'another' }));
  await machine.report(session, report(id, 3, { state: 'ready' }));
  expect(await deployment.instance(id)).toMatchObject({
    ...ended,
    report_sequence: 3,
    applied_generation: expect.any(Number),
  });
  expect(await reservedMb()).toBe(before);
  expect(await deployment.topics(executionId)).toEqual(['execution']);
});

test('an attempt keeps how it ended when it is removed, and frees nothing a second time', async () => {
  const before = await reservedMb();
  const { id, executionId } = await place();
  await machine.report(session, report(id, 1, { result: exited(0), message: 'last line' }));
  await machine.report(session, report(id, 2, { state: 'gone' }));
  expect(await deployment.instance(id)).toMatchObject({
    state: 'gone',
    message: 'last line',
    result: { reason: 'exited', exitCode: 0 },
    finished_at: expect.any(Date),
    ended_at: expect.any(Date),
  });
  expect(await reservedMb()).toBe(before);
  expect(await deployment.topics(executionId)).toEqual(['execution']);
});

test('the end and the removal in one message are both recorded', async () => {
  const before = await reservedMb();
  const { id } = await place();
  await machine.report(session, report(id, 2, { state: 'gone' }), report(id, 1, { result: exited(1) }));
  expect(await deployment.instance(id)).toMatchObject({ state: 'gone', result: { exitCode: 1 } });
  expect(await reservedMb()).toBe(before);
});

test('an attempt never starts after its end, also when both are reported together', async () => {
  const { id } = await place();
  const result = exited(0, { ranMs: 40, endedMsAgo: 100 });
  await machine.report(session, report(id, 1, { state: 'ready' }), report(id, 2, { result }));
  const { ready_at, finished_at } = await deployment.instance(id);
  expect((finished_at?.getTime() ?? 0) - (ready_at?.getTime() ?? 0)).toBeGreaterThanOrEqual(40);
});

test('an attempt whose process never ran has an end and no start', async () => {
  const { id } = await place();
  await machine.report(session, report(id, 1, { result: { reason: 'image_missing', endedMsAgo: 0 } }));
  expect(await deployment.instance(id)).toMatchObject({
    result: { reason: 'image_missing' },
    ready_at: null,
    finished_at: expect.any(Date),
  });
  expect((await deployment.instance(id)).result).not.toHaveProperty('exitCode');
});

test('an end without a result counts as lost', async () => {
  const { id } = await place();
  await machine.report(session, report(id, 1, {}));
  expect(await deployment.instance(id)).toMatchObject({ state: 'ended', result: { reason: 'lost' }, desired: 'gone' });
});

test('the start of an attempt is sent to its execution; the steps before it and their messages are not', async () => {
  const { id, executionId, resourceUid } = await place();
  await machine.report(session, report(id, 1, { state: 'pulling', message: 'The registry is slow.' }));
  await machine.report(session, report(id, 2, { state: 'starting' }));
  expect(await deployment.topics(executionId)).toEqual([]);
  await machine.report(session, report(id, 3, { state: 'ready' }));
  expect(await deployment.topics(executionId)).toEqual(['execution']);
  expect(await deployment.topics(resourceUid)).toEqual([]);
});

test('an attempt that is removed before it ended gives its memory back and is sent to its execution', async () => {
  const before = await reservedMb();
  const { id, executionId } = await place();
  await deployment.retire(id);
  await machine.report(session, report(id, 1, { state: 'gone' }));
  expect(await deployment.instance(id)).toMatchObject({ state: 'gone', result: null, ended_at: expect.any(Date) });
  expect(await reservedMb()).toBe(before);
  expect(await deployment.topics(executionId)).toEqual(['execution']);
});

test('many attempts of one execution that end in one message are sent to it once, with its workspace', async () => {
  const executionId = uuidv7();
  const placed = await Promise.all(Array.from({ length: 20 }, (_, index) => place(executionId, index)));
  const other = await place();
  const before = await reservedMb();
  const reports = [...placed, other].map(({ id }) => report(id, 1, { result: exited(0) }));
  expect(await machine.report(session, ...reports)).toBe(200);
  expect(await deployment.topics(executionId)).toEqual(['execution']);
  expect(await deployment.topics(other.executionId)).toEqual(['execution']);
  expect(await deployment.reconciles(executionId)).toBe(1);
  expect(await reservedMb()).toBe(before - 21 * 512);
});

test('an instance that is no attempt keeps its memory when its runner says that it ended', async () => {
  const { id, resourceUid } = await deployment.place(machine.identity.runnerId);
  const before = await reservedMb();
  await machine.report(session, report(id, 1, { result: exited(0) }));
  expect(await deployment.instance(id)).toMatchObject({
    state: 'ended',
    desired: 'running',
    result: null,
    finished_at: null,
    reserved_mb: 512,
    ended_at: null,
  });
  expect(await reservedMb()).toBe(before);
  expect(await deployment.topics(resourceUid)).toEqual(['reconcile']);
});

test('two messages that end attempts of one runner at once do not lose memory', async () => {
  const before = await reservedMb();
  const placed = await Promise.all(Array.from({ length: 40 }, (_, index) => place(uuidv7(), index)));
  const statuses = await Promise.all(
    placed.map(({ id }, index) => machine.report(session, report(id, index, { result: exited(0) }))),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await reservedMb()).toBe(before);
});
