// A delete removes everything, from every state; deleting a workspace removes everything in it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../durable/bed.ts';
import { wrongCounters } from '../support/counters.ts';
import { type Bed, makeBed, type Report } from './bed.ts';

let bed: Bed;
beforeAll(async () => {
  bed = await makeBed();
  await bed.addRunner();
  await bed.startOrchestrator();
});
afterAll(() => bed[Symbol.asyncDispose]());

const liveOf = async (uid: string) => (await bed.instances(uid)).filter(({ ended_at }) => ended_at === null);
const goneSoon = async (uid: string): Promise<void> => {
  await bed.running(uid, 0);
  for (const { id } of await liveOf(uid)) await bed.report(id, { state: 'gone' });
};

test.each<[string, Report['state'] | undefined]>([
  ['placed', undefined],
  ['pulling', 'pulling'],
  ['starting', 'starting'],
  ['deployed', 'ready'],
  ['failed', 'failed'],
  ['lost', 'lost'],
])('deleted while it is %s', async (name, state) => {
  const uid = await bed.deploy(name);
  const [instance] = await bed.running(uid);
  if (state !== undefined) await bed.report(instance?.id ?? '', { state, message: 'As the test says.' });
  const answer = await bed.api.admin.delete(`/agents/${name}`);
  expect(answer.body.status).toBe('DELETING');
  await goneSoon(uid);
  await until(async () => (await bed.statusOf(name)) === undefined);
  await until(async () => (await liveOf(uid)).length === 0);
  expect(await bed.wrongReservations()).toEqual([]);
  expect(await wrongCounters(bed.api)).toEqual([]);
  // The name is free again.
  await bed.deploy(name);
});

test('deleted while it is being switched off', async () => {
  const uid = await bed.deploy('leaving');
  await bed.running(uid);
  await bed.api.admin.put('/agents/leaving', { metadata: { name: 'leaving' }, spec: { enabled: false } });
  await bed.running(uid, 0);
  await bed.api.admin.delete('/agents/leaving');
  await goneSoon(uid);
  await until(async () => (await bed.statusOf('leaving')) === undefined);
  expect(await wrongCounters(bed.api)).toEqual([]);
});

test('the record stays as long as an instance does', async () => {
  const uid = await bed.deploy('slow');
  await bed.running(uid);
  await bed.api.admin.delete('/agents/slow');
  await bed.running(uid, 0);
  expect(await bed.statusOf('slow')).toBe('DELETING');
  expect((await bed.api.admin.post('/agents', { metadata: { name: 'slow' }, spec: {} })).status).toBe(409);
  await goneSoon(uid);
  await until(async () => (await bed.statusOf('slow')) === undefined);
});

test('a workspace that is deleted retires everything that ran in it', async () => {
  await bed.api.addWorkspace('short-lived');
  const client = bed.api.admin.with({ workspace: 'short-lived' });
  const uids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    await client.post('/agents', { metadata: { name }, spec: { runtime: { image: 'example/agent:1' } } });
    const uid = await bed.uidOf(name);
    await bed.running(uid);
    uids.push(uid);
  }
  expect((await client.delete('/workspaces/short-lived')).status).toBe(200);
  for (const uid of uids) await goneSoon(uid);
  await until(
    async () => (await bed.api.database.selectFrom('deleted_workspaces').select('id').execute()).length === 0,
  );
  expect(await bed.wrongReservations()).toEqual([]);
  expect(await wrongCounters(bed.api)).toEqual([]);
});
