// A delete removes everything, from every state; deleting a workspace removes everything in it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, type Report, startControlPlane } from './control-plane.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.addRunner();
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

const liveOf = async (uid: string) => (await controlPlane.instances(uid)).filter(({ ended_at }) => ended_at === null);
const goneSoon = async (uid: string): Promise<void> => {
  await controlPlane.running(uid, 0);
  for (const { id } of await liveOf(uid)) await controlPlane.report(id, { state: 'gone' });
};

test.each<[string, Report['state'] | undefined]>([
  ['placed', undefined],
  ['pulling', 'pulling'],
  ['starting', 'starting'],
  ['deployed', 'ready'],
  ['failed', 'failed'],
  ['lost', 'lost'],
])('deleted while it is %s', async (name, state) => {
  const uid = await controlPlane.deploy(name);
  const [instance] = await controlPlane.running(uid);
  if (state !== undefined) await controlPlane.report(instance?.id ?? '', { state, message: 'As the test says.' });
  const answer = await controlPlane.api.admin.delete(`/agents/${name}`);
  expect(answer.body.status).toBe('DELETING');
  await goneSoon(uid);
  await until(async () => (await controlPlane.statusOf(name)) === undefined);
  await until(async () => (await liveOf(uid)).length === 0);
  expect(await controlPlane.wrongReservations()).toEqual([]);
  expect(await wrongCounters(controlPlane.api)).toEqual([]);
  // The name is free again.
  await controlPlane.deploy(name);
});

test('deleted while it is being switched off', async () => {
  const uid = await controlPlane.deploy('leaving');
  await controlPlane.running(uid);
  await controlPlane.api.admin.put('/agents/leaving', { metadata: { name: 'leaving' }, spec: { enabled: false } });
  await controlPlane.running(uid, 0);
  await controlPlane.api.admin.delete('/agents/leaving');
  await goneSoon(uid);
  await until(async () => (await controlPlane.statusOf('leaving')) === undefined);
  expect(await wrongCounters(controlPlane.api)).toEqual([]);
});

test('the record stays as long as an instance does', async () => {
  const uid = await controlPlane.deploy('slow');
  await controlPlane.running(uid);
  await controlPlane.api.admin.delete('/agents/slow');
  await controlPlane.running(uid, 0);
  expect(await controlPlane.statusOf('slow')).toBe('DELETING');
  expect((await controlPlane.api.admin.post('/agents', { metadata: { name: 'slow' }, spec: {} })).status).toBe(409);
  await goneSoon(uid);
  await until(async () => (await controlPlane.statusOf('slow')) === undefined);
});

test('a workspace that is deleted retires everything that ran in it', async () => {
  await controlPlane.api.addWorkspace('short-lived');
  const client = controlPlane.api.admin.with({ workspace: 'short-lived' });
  const uids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    await client.post('/agents', { metadata: { name }, spec: { runtime: { image: 'example/agent:1' } } });
    const uid = await controlPlane.uidOf(name);
    await controlPlane.running(uid);
    uids.push(uid);
  }
  expect((await client.delete('/workspaces/short-lived')).status).toBe(200);
  for (const uid of uids) await goneSoon(uid);
  await until(
    async () => (await controlPlane.api.database.selectFrom('deleted_workspaces').select('id').execute()).length === 0,
  );
  expect(await controlPlane.wrongReservations()).toEqual([]);
  expect(await wrongCounters(controlPlane.api)).toEqual([]);
});
