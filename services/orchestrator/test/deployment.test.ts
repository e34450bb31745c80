// From a write to instances and back, through the api, the outbox, Restate and the orchestrator.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.addRunner();
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

interface Event {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}

const becomes = (name: string, status: string | undefined) =>
  until(async () => (await controlPlane.statusOf(name)) === status);
const eventsOf = async (name: string): Promise<Event[]> =>
  (await controlPlane.api.admin.get(`/agents/${name}`)).body.events;
const statusesOf = async (name: string) => (await eventsOf(name)).map(({ status }) => status);
const revisionsOf = async (name: string) => {
  const { body } = await controlPlane.api.admin.get(`/agents/${name}/revisions`);
  return body.map(({ status, active }: { status: string; active: boolean }) => (active ? `${status} active` : status));
};
const change = async (name: string, spec: object): Promise<void> => {
  const answer = await controlPlane.api.admin.put(`/agents/${name}`, { metadata: { name }, spec });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
};
const bringUp = async (name: string, runtime: object = {}, count = 1): Promise<string> => {
  const uid = await controlPlane.deploy(name, runtime);
  for (const { id } of await controlPlane.running(uid, count)) await controlPlane.report(id, { state: 'ready' });
  await becomes(name, 'DEPLOYED');
  return uid;
};

test('a new agent is placed, its pull is told, and it is DEPLOYED once its instance is ready', async () => {
  const uid = await controlPlane.deploy('fresh', { envs: [{ name: 'TOKEN', value: 'hidden', secret: true }] });
  const [instance] = await controlPlane.running(uid);
  expect(instance?.spec).toMatchObject({ image: 'example/agent:1', memoryMb: 2048, cpus: 1, port: 80 });
  expect(JSON.stringify(instance?.spec)).not.toContain('hidden');
  await controlPlane.report(instance?.id ?? '', { state: 'pulling', message: 'Pulling: 3 of 7 layers.' });
  await until(async () => (await eventsOf('fresh')).some(({ message }) => message.includes('3 of 7')));
  await controlPlane.report(instance?.id ?? '', { state: 'ready' });
  await becomes('fresh', 'DEPLOYED');
  expect(await statusesOf('fresh')).toEqual(['DEPLOYING', 'DEPLOYING', 'DEPLOYED']);
  expect((await eventsOf('fresh')).at(-1)?.message).toMatch(/^Revision rev-\w+ is serving\.$/);
  expect(await revisionsOf('fresh')).toEqual(['DEPLOYED active']);
});

test('traffic moves when the new revision is ready, and only then does the old one go', async () => {
  const uid = await bringUp('blue');
  const [old] = await controlPlane.instances(uid);
  await change('blue', { runtime: { image: 'example/agent:2' } });
  const both = await controlPlane.running(uid, 2);
  expect(both.map(({ id }) => id)).toContain(old?.id);
  expect(await revisionsOf('blue')).toEqual(['DEPLOYING', 'DEPLOYED active']);
  const next = both.find(({ id }) => id !== old?.id);
  await controlPlane.report(next?.id ?? '', { state: 'ready' });
  await becomes('blue', 'DEPLOYED');
  expect((await controlPlane.running(uid)).map(({ id }) => id)).toEqual([next?.id]);
  expect(await revisionsOf('blue')).toEqual(['DEPLOYED active', 'DEACTIVATED']);
  expect(await statusesOf('blue')).toEqual(['DEPLOYING', 'DEPLOYED', 'DEPLOYING', 'DEPLOYED']);
});

test('a revision that fails says why in its own words, and the old one goes on serving', async () => {
  const uid = await bringUp('brittle');
  const [old] = await controlPlane.instances(uid);
  await change('brittle', { runtime: { image: 'example/agent:broken' } });
  const [next] = (await controlPlane.running(uid, 2)).filter(({ id }) => id !== old?.id);
  await controlPlane.report(next?.id ?? '', { state: 'failed', message: 'Port 80 stayed closed for 45 s.' });
  await becomes('brittle', 'FAILED');
  expect((await eventsOf('brittle')).at(-1)).toMatchObject({
    status: 'FAILED',
    message: 'Port 80 stayed closed for 45 s.',
  });
  expect((await controlPlane.running(uid)).map(({ id }) => id)).toEqual([old?.id]);
  expect(await revisionsOf('brittle')).toEqual(['FAILED', 'DEPLOYED active']);
  // When the old revision is chosen explicitly, the deployment is healthy.
  const { body } = await controlPlane.api.admin.get('/agents/brittle/revisions');
  await change('brittle', { revision: { active: body[1].id } });
  await becomes('brittle', 'DEPLOYED');
});

test('several instances come up together, and an instance that dies is replaced at once', async () => {
  const uid = await bringUp('wide', { minScale: 3 }, 3);
  const [first] = await controlPlane.running(uid, 3);
  await controlPlane.report(first?.id ?? '', { state: 'failed', message: 'It was killed.' });
  await until(async () => !(await controlPlane.running(uid, 3)).some(({ id }) => id === first?.id));
  expect(await controlPlane.statusOf('wide')).toBe('DEPLOYED');
});

test('while the only instance is replaced, an event says so; a lost machine alike', async () => {
  const uid = await bringUp('lonely');
  const [first] = await controlPlane.running(uid);
  await controlPlane.report(first?.id ?? '', { state: 'lost', message: 'Its machine has not been heard from.' });
  await until(async () => (await eventsOf('lonely')).at(-1)?.type === 'infrastructure');
  expect((await eventsOf('lonely')).at(-1)).toMatchObject({ status: 'DEPLOYED' });
  const [second] = await controlPlane.running(uid);
  await controlPlane.report(second?.id ?? '', { state: 'ready' });
  await until(async () => (await eventsOf('lonely')).at(-1)?.message.includes('serving again') === true);
});

test('switched off, everything goes before it is DEACTIVATED; switched on, it has to come up again', async () => {
  const uid = await bringUp('switch');
  const [first] = await controlPlane.running(uid);
  await change('switch', { enabled: false });
  expect(await controlPlane.statusOf('switch')).toBe('DEACTIVATING');
  await controlPlane.running(uid, 0);
  await controlPlane.report(first?.id ?? '', { state: 'gone' });
  await becomes('switch', 'DEACTIVATED');
  expect(await revisionsOf('switch')).toEqual(['DEACTIVATED active']);
  await change('switch', { enabled: true });
  const [second] = await controlPlane.running(uid);
  expect(await controlPlane.statusOf('switch')).toBe('DEPLOYING');
  await controlPlane.report(second?.id ?? '', { state: 'ready' });
  await becomes('switch', 'DEPLOYED');
});

test('without an image it fails at once and says what to set', async () => {
  await controlPlane.deploy('imageless', { image: '' });
  await becomes('imageless', 'FAILED');
  expect((await eventsOf('imageless')).at(-1)?.message).toBe('No image: set spec.runtime.image.');
});

test('a workload that no runner has room for waits, reports why once, and starts when there is room', async () => {
  const uid = await controlPlane.deploy('huge', { memory: 100_000 });
  const waits = async () => (await eventsOf('huge')).filter(({ message }) => message.includes('100000 MB free'));
  await until(async () => (await waits()).length === 1);
  await controlPlane.addRunner({ memoryMb: 200_000 });
  await until(async () => (await controlPlane.instances(uid)).length === 1, 10_000);
  expect(await waits()).toHaveLength(1);
  expect(await controlPlane.wrongReservations()).toEqual([]);
});
