import type { InstanceReport } from '@berth/contract/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiWithMachines, type Machine } from './api-with-machines.ts';

let deployment: ApiWithMachines;
let machine: Machine;
let session: number;
beforeAll(async () => {
  deployment = await ApiWithMachines.start();
  machine = await deployment.join();
  ({ session } = await machine.connect());
});
afterAll(() => deployment[Symbol.asyncDispose]());

const report = (instance: string, sequence: number, rest: Partial<InstanceReport> = {}): InstanceReport => ({
  instance,
  sequence,
  state: 'ready',
  starts: 1,
  ...rest,
});

test('a report is recorded, and the orchestrator is notified of the resource', async () => {
  const { id, resourceUid } = await deployment.place(machine.identity.runnerId);
  await machine.report(session, report(id, 1, { address: '100.64.0.9', stages: { create: 5 } }));
  expect(await deployment.instance(id)).toMatchObject({
    state: 'ready',
    address: '100.64.0.9',
    stages: { create: 5 },
    ready_at: expect.any(Date),
  });
  expect(await deployment.reconciles(resourceUid)).toBe(1);
});

test('a report sent twice changes nothing the second time', async () => {
  const { id, resourceUid } = await deployment.place(machine.identity.runnerId);
  await machine.report(session, report(id, 5));
  await machine.report(session, report(id, 5));
  expect(await deployment.reconciles(resourceUid)).toBe(1);
});

test('a stale report never revives an instance', async () => {
  const { id } = await deployment.place(machine.identity.runnerId);
  await machine.report(session, report(id, 7, { state: 'failed', code: 'crash_loop', message: 'It crashed.' }));
  await machine.report(session, report(id, 6, { state: 'ready' }));
  expect(await deployment.instance(id)).toMatchObject({ state: 'failed', code: 'crash_loop', message: 'It crashed.' });
  await deployment.retire(id);
  await machine.report(session, report(id, 8, { state: 'gone' }));
  await machine.report(session, report(id, 9, { state: 'ready' }));
  expect(await deployment.instance(id)).toMatchObject({ state: 'gone', ended_at: expect.any(Date) });
});

test('an instance that is gone gives its memory back, once', async () => {
  const before = (await deployment.runner(machine.identity.runnerId)).reserved_mb;
  const { id } = await deployment.place(machine.identity.runnerId);
  await deployment.retire(id);
  for (const sequence of [1, 2, 3]) await machine.report(session, report(id, sequence, { state: 'gone' }));
  expect((await deployment.runner(machine.identity.runnerId)).reserved_mb).toBe(before);
});

test('a runner that says "gone" of what should run does not end it', async () => {
  const { id } = await deployment.place(machine.identity.runnerId);
  await machine.report(session, report(id, 1, { state: 'gone' }));
  expect(await deployment.instance(id)).toMatchObject({ state: 'placed', ended_at: null });
});

test("a runner cannot speak for another runner's instance", async () => {
  const other = await deployment.join();
  const { id } = await deployment.place(other.identity.runnerId);
  expect(await machine.report(session, report(id, 1))).toBe(200);
  expect((await deployment.instance(id)).state).toBe('placed');
});

test('the activity of a sandbox is recorded as durations of its runner, and sleep causes no reconcile', async () => {
  const { id, resourceUid } = await deployment.place(machine.identity.runnerId);
  await machine.report(session, report(id, 1, { generation: 1, awake: true, usedMsAgo: 0 }));
  const before = await deployment.reconciles(resourceUid);
  await machine.report(session, report(id, 2, { generation: 2, awake: false, usedMsAgo: 60_000 }));
  const slept = await deployment.instance(id);
  expect(slept).toMatchObject({ awake: false, applied_generation: 2, is_expired: false });
  // A report of an older use does not overwrite a newer one.
  expect(Date.now() - (slept.used_at?.getTime() ?? 0)).toBeLessThan(30_000);
  await machine.report(session, report(id, 3, { generation: 1, awake: true, usedMsAgo: 0 }));
  expect(await deployment.instance(id)).toMatchObject({ awake: true, applied_generation: 2 });
  expect(await deployment.reconciles(resourceUid)).toBe(before);
});

test('the expiry of an unused sandbox causes one reconcile', async () => {
  const { id, resourceUid } = await deployment.place(machine.identity.runnerId);
  await machine.report(session, report(id, 1, { awake: false }));
  const before = await deployment.reconciles(resourceUid);
  for (const sequence of [2, 3]) await machine.report(session, report(id, sequence, { awake: false, isExpired: true }));
  expect((await deployment.instance(id)).is_expired).toBe(true);
  expect(await deployment.reconciles(resourceUid)).toBe(before + 1);
});

test('several reports of one instance in one message are taken in their order', async () => {
  const { id } = await deployment.place(machine.identity.runnerId);
  const failed = report(id, 2, { state: 'failed', code: 'port_closed', message: 'Closed.' });
  await machine.report(session, failed, report(id, 1, { state: 'starting', address: '100.64.0.7' }));
  expect(await deployment.instance(id)).toMatchObject({
    state: 'failed',
    address: '100.64.0.7',
    failed_at: expect.any(Date),
  });
});

test('a thousand reports at once are recorded, without a wait for a lock on the runner’s row', async () => {
  const placed = await Promise.all(Array.from({ length: 20 }, () => deployment.place(machine.identity.runnerId)));
  await deployment.api.database.transaction().execute(async (tx) => {
    await tx.selectFrom('runners').select('id').where('id', '=', machine.identity.runnerId).forNoKeyUpdate().execute();
    const status = await machine.report(
      session,
      ...placed.flatMap(({ id }) =>
        Array.from({ length: 50 }, (_, sequence) => report(id, sequence, { awake: false })),
      ),
    );
    expect(status).toBe(200);
  });
  for (const { id } of placed)
    expect(await deployment.instance(id)).toMatchObject({ report_sequence: 49, awake: false });
});

test('a failed warm sandbox is reported to its pool, not to a resource', async () => {
  const { id } = await deployment.place(machine.identity.runnerId);
  await deployment.api.database
    .updateTable('instances')
    .set({ pool: 'runc tiny', resource_uid: null, workspace_id: null })
    .where('id', '=', id)
    .execute();
  const before = await deployment.reconciles(machine.identity.runnerId);
  await machine.report(session, report(id, 1, { state: 'ready' }));
  expect(await deployment.reconciles(machine.identity.runnerId)).toBe(before);
  await machine.report(session, report(id, 2, { state: 'failed', code: 'crash_loop' }));
  expect(await deployment.reconciles(machine.identity.runnerId)).toBe(before + 1);
});
