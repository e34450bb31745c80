// References of a workload: policies that restrict its regions, and connections that provide secrets.
import { dispatchKey } from '@berth/durable';
import { openEnv, SealedEnv } from '@berth/identity';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, startControlPlane, tell } from './control-plane.ts';
import { JobRecords } from './job-records.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
  await controlPlane.addRunner();
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

const locations = (country: string) => ({ type: 'location', locations: [{ type: 'country', name: country }] });

test('a workload waits where its policies leave no region, and runs once one of them allows it', async () => {
  const { admin } = controlPlane.api;
  await admin.post('/policies', { metadata: { name: 'abroad' }, spec: locations('us') });
  const uid = await controlPlane.deploy('homebound', {}, { policies: ['abroad'] });
  const message = 'Waiting for a runner: policy abroad leaves no region.';
  await until(async () => (await admin.get('/agents/homebound')).text.includes(message));
  await admin.post('/policies', { metadata: { name: 'home' }, spec: locations('de') });
  await admin.put('/agents/homebound', { metadata: { name: 'homebound' }, spec: { policies: ['abroad', 'home'] } });
  await controlPlane.running(uid);
});

test('an execution waits where the policies of its job leave no region, and runs once one of them allows it', async () => {
  const { api } = controlPlane;
  await controlPlane.addRunner({ maxTasks: 5 });
  const abroad = { metadata: { name: 'tasks-abroad' }, spec: locations('us') };
  await api.admin.post('/policies', abroad);
  const spec = { policies: ['tasks-abroad'], runtime: { image: 'example/job:1', memory: 128 } };
  expect((await api.admin.post('/jobs', { metadata: { name: 'homebound' }, spec })).status).toBe(200);
  const refused = await api.admin.post('/jobs/homebound/executions', { allowQueue: false });
  expect([refused.status, refused.body.error]).toEqual([429, 'no_capacity']);
  const started = await api.admin.post('/jobs/homebound/executions', {});
  const records = new JobRecords(api.database);
  const id = await records.idOf(started.body.executionId);
  const message = 'Waiting for a runner: policy tasks-abroad leaves no region.';
  await until(async () => (await records.messages(id)).includes(message));
  expect(await records.execution(id)).toMatchObject({ status: 'queued', active: 0 });
  await api.admin.put('/policies/tasks-abroad', { ...abroad, spec: locations('de') });
  await tell(api, 'dispatch', dispatchKey);
  await until(async () => (await records.activeAttempts(id)).length === 1);
});

test("a function gets its connections' values, and secrets stay sealed for whom they were written to", async () => {
  const { admin } = controlPlane.api;
  const secret = { GITHUB_TOKEN: 'from-the-connection' };
  const made = await admin.post('/integrations/connections', {
    metadata: { name: 'code' },
    spec: { integration: 'github', config: { SITE: 'https://example.com' }, secret },
  });
  expect([made.status, made.text]).toEqual([200, made.text]);
  const envs = [{ name: 'OWN', value: 'from-the-function', secret: true }];
  const spec = { integrationConnections: ['code'], runtime: { image: 'example/tools:1', envs } };
  expect((await admin.post('/functions', { metadata: { name: 'tools' }, spec })).status).toBe(200);
  const [instance] = await controlPlane.running(await controlPlane.uidOf('tools'));
  const env = SealedEnv.parse(instance?.spec.env);
  const contextOf = (name: string) =>
    env.flatMap((entry) => (entry.name === name && 'sealed' in entry ? [entry.context] : []));
  expect(contextOf('GITHUB_TOKEN')).toEqual([`resource ${await controlPlane.uidOf('code')}`]);
  expect(contextOf('OWN')).toEqual([`resource ${await controlPlane.uidOf('tools')}`]);
  expect(env).toContainEqual({ name: 'SITE', value: 'https://example.com' });
  expect(JSON.stringify(instance?.spec)).not.toMatch(/from-the-(connection|function)/);
  expect(() => openEnv(env, Buffer.alloc(32))).toThrow();
});

test('a registered image runs as the reference that its workspace registered; another workspace’s registration changes nothing', async () => {
  const { admin } = controlPlane.api;
  const digest = `sha256:${'a'.repeat(64)}`;
  await controlPlane.api.addWorkspace('others');
  const register = (client: typeof admin, image: string) =>
    client.post('/images', { resourceType: 'agent', name: 'planner', image });
  await register(admin, `registry.example/planner:1@${digest}`);
  await register(admin.with({ workspace: 'others' }), 'registry.example/hostile:1');
  const [instance] = await controlPlane.running(await controlPlane.deploy('planner', { image: 'agent/planner:1' }));
  expect(instance?.spec).toMatchObject({
    image: `registry.example/planner:1@${digest}`,
    imageSource: { origin: 'outside' },
  });
});

test('a name that is not registered any more is told as such and never pulled', async () => {
  const uid = await controlPlane.deploy('stale', { image: 'registry.example/stale:1' });
  const [instance] = await controlPlane.running(uid);
  await controlPlane.report(instance?.id ?? '', { state: 'ready' });
  await until(async () => (await controlPlane.statusOf('stale')) === 'DEPLOYED');
  const stale = JSON.stringify('agent/stale:1');
  await sql`update revisions set spec = jsonb_set(spec, '{runtime,image}', ${stale}::jsonb) where resource_uid = ${uid}`.execute(
    controlPlane.api.database,
  );
  await sql`update instances set desired = 'gone', ended_at = clock_timestamp(), state = 'failed' where resource_uid = ${uid}`.execute(
    controlPlane.api.database,
  );
  await tell(controlPlane.api, 'reconcile', uid);
  await until(async () =>
    (await controlPlane.api.admin.get('/agents/stale')).text.includes('is not registered in this workspace'),
  );
  expect((await controlPlane.instances(uid)).filter(({ spec }) => spec.image === 'agent/stale:1')).toEqual([]);
});
