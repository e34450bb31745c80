import { randomUUID } from 'node:crypto';
import { nodePaths } from '@berth/contract/node';
import { finishRestore, loadDeploymentEpoch } from '@berth/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiWithMachines } from './api-with-machines.ts';

let deployment: ApiWithMachines;
beforeAll(async () => {
  deployment = await ApiWithMachines.start();
});
afterAll(() => deployment[Symbol.asyncDispose]());

const orphan = () => ({ instance: randomUUID(), workspaceId: randomUUID(), isSandbox: true });
const listed = async (runnerId: string): Promise<string[]> =>
  (
    await deployment.api.database
      .selectFrom('orphans')
      .select('instance_id as id')
      .where('runner_id', '=', runnerId)
      .execute()
  ).map(({ id }) => id);

test('the welcome tells the epoch, which a restore changes', async () => {
  const { database } = deployment.api;
  const machine = await deployment.join();
  const before = await loadDeploymentEpoch(database);
  const first = await machine.connect();
  expect(first.epoch).toBe(before.epoch);
  first.close();
  const { epoch } = await database.transaction().execute((tx) => finishRestore(tx, false));
  expect(epoch).not.toBe(before.epoch);
  const second = await machine.connect();
  expect(second.epoch).toBe(epoch);
  second.close();
});

test('a report replaces the orphans of its runner, of no other, and only in the current session', async () => {
  const [one, other] = [await deployment.join(), await deployment.join()];
  const [first, second, third] = [orphan(), orphan(), { instance: randomUUID(), isSandbox: false }];
  const report = async (machine: typeof one, session: number, ...orphans: object[]) =>
    (await machine.client.post(nodePaths.orphans, { session, orphans })).status;
  const [stream, beside] = [await one.connect(), await other.connect()];
  expect(await report(one, stream.session, first, second)).toBe(200);
  expect(await report(other, beside.session, third)).toBe(200);
  expect((await listed(one.identity.runnerId)).toSorted()).toEqual([first.instance, second.instance].toSorted());
  expect(await report(one, stream.session, second)).toBe(200);
  expect(await report(one, stream.session - 1)).toBe(409);
  expect(await listed(one.identity.runnerId)).toEqual([second.instance]);
  expect(await listed(other.identity.runnerId)).toEqual([third.instance]);
  stream.close();
  beside.close();
});

test('an ordered removal is sent once in each stream, until the runner does not report the orphan any more', async () => {
  const machine = await deployment.join();
  const { instance, ...about } = orphan();
  const stream = await machine.connect();
  await machine.client.post(nodePaths.orphans, { session: stream.session, orphans: [{ instance, ...about }] });
  expect(await stream.next()).toMatchObject({ type: 'all' });
  await deployment.api.database.updateTable('orphans').set({ removal_ordered_at: new Date() }).execute();
  expect(await stream.next()).toEqual({ type: 'discard', orphans: [instance] });
  // The report of an orphan that is being removed does not withdraw the order.
  await machine.client.post(nodePaths.orphans, { session: stream.session, orphans: [{ instance, ...about }] });
  const next = await machine.connect();
  expect(await next.next()).toMatchObject({ type: 'all' });
  expect(await next.next()).toEqual({ type: 'discard', orphans: [instance] });
  await machine.client.post(nodePaths.orphans, { session: next.session, orphans: [] });
  expect(await listed(machine.identity.runnerId)).toEqual([]);
  next.close();
});
