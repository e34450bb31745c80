// From a write to the one instance of a sandbox and back, through the api, the outbox, Restate and the orchestrator.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

let controlPlane: ControlPlane;
let runner: string;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  runner = await controlPlane.addRunner();
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

interface Event {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}

const becomes = (name: string, status: string) =>
  until(async () => (await controlPlane.statusOf(name, 'sandboxes')) === status);
const eventsOf = async (name: string): Promise<Event[]> =>
  (await controlPlane.api.admin.get(`/sandboxes/${name}`)).body.events;
const change = async (name: string, spec: object, query = ''): Promise<void> => {
  const answer = await controlPlane.api.admin.put(`/sandboxes/${name}${query}`, { metadata: { name }, spec });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
};
const bringUp = async (name: string, spec: object = {}): Promise<{ uid: string; id: string }> => {
  const uid = await controlPlane.sandbox(name, spec);
  const [instance] = await controlPlane.running(uid);
  const id = instance?.id ?? '';
  await controlPlane.report(id, { state: 'ready' });
  await becomes(name, 'DEPLOYED');
  return { uid, id };
};

test('a new sandbox is placed with its share of memory, its pull is told, and it is DEPLOYED once it is ready', async () => {
  const uid = await controlPlane.sandbox('fresh', { runtime: { memory: 4096 } });
  const [instance] = await controlPlane.running(uid);
  expect(instance).toMatchObject({
    revision: 'boot-1',
    spec: { mode: 'sandbox', image: 'example/sandbox:1', memoryMb: 4096, port: 8080, sandbox: { idleSeconds: 15 } },
  });
  const { rows } = await sql`select reserved_mb from instances where resource_uid = ${uid}`.execute(
    controlPlane.api.database,
  );
  expect(rows).toEqual([{ reserved_mb: 4096 / 8 }]);
  await controlPlane.report(instance?.id ?? '', { state: 'pulling', message: 'Pulling: 3 of 7 layers.' });
  await until(async () => (await eventsOf('fresh')).some(({ message }) => message.includes('3 of 7')));
  await controlPlane.report(instance?.id ?? '', { state: 'ready' });
  await becomes('fresh', 'DEPLOYED');
  expect((await eventsOf('fresh')).at(-1)?.message).toContain('shares the kernel of its machine');
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('a failed sandbox reports why, its memory is given back, and it is not tried again', async () => {
  const uid = await controlPlane.sandbox('broken');
  const [instance] = await controlPlane.running(uid);
  const message = 'The image does not exist. Check spec.runtime.image.';
  await controlPlane.report(instance?.id ?? '', { state: 'failed', message });
  await becomes('broken', 'FAILED');
  expect((await eventsOf('broken')).at(-1)).toMatchObject({ type: 'deployment', status: 'FAILED', message });
  await controlPlane.running(uid, 0);
  await controlPlane.report(instance?.id ?? '', { state: 'gone' });
  await controlPlane.running(uid, 0);
  expect(await controlPlane.instances(uid)).toHaveLength(1);
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('begun anew on request or with another image: the old one goes, one other comes, and never two at a time', async () => {
  const { uid, id } = await bringUp('anew');
  await change('anew', {}, '?restart=true');
  await until(async () => (await controlPlane.running(uid))[0]?.id !== id);
  const [second] = await controlPlane.running(uid);
  expect(second?.revision).toBe('boot-2');
  await controlPlane.report(id, { state: 'gone' });
  await controlPlane.report(second?.id ?? '', { state: 'ready' });
  await becomes('anew', 'DEPLOYED');
  await change('anew', { runtime: { image: 'example/sandbox:2' } });
  await until(async () => (await controlPlane.running(uid))[0]?.revision === 'boot-3');
  expect((await controlPlane.running(uid))[0]?.spec.image).toBe('example/sandbox:2');
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('envs, labels and lifetimes are changed in place: the same instance', async () => {
  const { uid, id } = await bringUp('steady');
  await change('steady', { runtime: { envs: [{ name: 'A', value: 'b' }], ttl: '1h' } });
  await becomes('steady', 'DEPLOYED');
  expect((await controlPlane.running(uid)).map((instance) => instance.id)).toEqual([id]);
});

test('switched off it keeps its instance, and serves again when it is switched on', async () => {
  const { uid, id } = await bringUp('paused');
  await change('paused', { enabled: false });
  await becomes('paused', 'DEACTIVATED');
  expect((await controlPlane.running(uid)).map((instance) => instance.id)).toEqual([id]);
  await change('paused', { enabled: true });
  await becomes('paused', 'DEPLOYED');
  expect((await controlPlane.running(uid)).map((instance) => instance.id)).toEqual([id]);
});

test('a sandbox waits while no runner has room, says so, and starts when one has', async () => {
  await sql`update runners set memory_mb = 1`.execute(controlPlane.api.database);
  const uid = await controlPlane.sandbox('patient');
  await until(async () => (await eventsOf('patient')).some(({ message }) => message.includes('has 512 MB free')));
  await sql`update runners set memory_mb = 65536`.execute(controlPlane.api.database);
  await until(async () => (await controlPlane.running(uid)).length === 1);
  expect((await controlPlane.instances(uid))[0]?.runner_id).toBe(runner);
});

test('a delete ends a sandbox at once from every state, gives back its reservations, and its runner is told', async () => {
  for (const state of ['placed', 'pulling', 'ready', 'failed'] as const) {
    const name = `short-${state}`;
    const uid = await controlPlane.sandbox(name);
    const [instance] = await controlPlane.running(uid);
    if (state !== 'placed') await controlPlane.report(instance?.id ?? '', { state, message: 'As the test says.' });
    await controlPlane.api.admin.delete(`/sandboxes/${name}`);
    expect(await controlPlane.statusOf(name, 'sandboxes')).toBe('TERMINATED');
    await controlPlane.running(uid, 0);
    await controlPlane.report(instance?.id ?? '', { state: 'gone' });
    await controlPlane.running(uid, 0);
    expect(await controlPlane.wrongReservations()).toEqual([]);
    expect(await wrongCounters(controlPlane.api)).toEqual([]);
  }
});
