import type { InstanceReport } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bed, type Machine } from './bed.ts';

let bed: Bed;
let machine: Machine;
let session: number;
beforeAll(async () => {
  bed = await Bed.start();
  machine = await bed.join();
  ({ session } = await machine.connect());
});
afterAll(() => bed[Symbol.asyncDispose]());

const report = (instance: string, sequence: number, rest: Partial<InstanceReport> = {}): InstanceReport => ({
  instance,
  sequence,
  state: 'ready',
  starts: 1,
  ...rest,
});

test('a report is recorded, and whoever decides about the resource is told', async () => {
  const { id, resourceUid } = await bed.place(machine.identity.runnerId);
  await machine.report(session, report(id, 1, { address: '100.64.0.9', stages: { create: 5 } }));
  expect(await bed.instance(id)).toMatchObject({
    state: 'ready',
    address: '100.64.0.9',
    stages: { create: 5 },
    ready_at: expect.any(Date),
  });
  expect(await bed.reconciles(resourceUid)).toBe(1);
});

test('a report sent twice changes nothing the second time', async () => {
  const { id, resourceUid } = await bed.place(machine.identity.runnerId);
  await machine.report(session, report(id, 5));
  await machine.report(session, report(id, 5));
  expect(await bed.reconciles(resourceUid)).toBe(1);
});

test('a stale report never revives an instance', async () => {
  const { id } = await bed.place(machine.identity.runnerId);
  await machine.report(session, report(id, 7, { state: 'failed', code: 'crash_loop', message: 'It crashed.' }));
  await machine.report(session, report(id, 6, { state: 'ready' }));
  expect(await bed.instance(id)).toMatchObject({ state: 'failed', code: 'crash_loop', message: 'It crashed.' });
  await bed.retire(id);
  await machine.report(session, report(id, 8, { state: 'gone' }));
  await machine.report(session, report(id, 9, { state: 'ready' }));
  expect(await bed.instance(id)).toMatchObject({ state: 'gone', ended_at: expect.any(Date) });
});

test('what is gone gives its memory back, once', async () => {
  const before = (await bed.runner(machine.identity.runnerId)).reserved_mb;
  const { id } = await bed.place(machine.identity.runnerId);
  await bed.retire(id);
  for (const sequence of [1, 2, 3]) await machine.report(session, report(id, sequence, { state: 'gone' }));
  expect((await bed.runner(machine.identity.runnerId)).reserved_mb).toBe(before);
});

test('a runner that says "gone" of what should run does not end it', async () => {
  const { id } = await bed.place(machine.identity.runnerId);
  await machine.report(session, report(id, 1, { state: 'gone' }));
  expect(await bed.instance(id)).toMatchObject({ state: 'placed', ended_at: null });
});

test("a runner cannot speak for another runner's instance", async () => {
  const other = await bed.join();
  const { id } = await bed.place(other.identity.runnerId);
  expect(await machine.report(session, report(id, 1))).toBe(200);
  expect((await bed.instance(id)).state).toBe('placed');
});
