// Waking and freezing on request: one test for each status of the two operations.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiWithFakeRunners, named, type TestRunner } from './api-with-fake-runners.ts';

let deployment: ApiWithFakeRunners;
let runner: TestRunner;
beforeAll(async () => {
  deployment = await ApiWithFakeRunners.start();
  runner = await deployment.addRunner({ waiting: 1 });
  await deployment.api.admin.post('/sandboxes', named('box'));
});
afterAll(() => deployment[Symbol.asyncDispose]());

const put = (verb: 'start' | 'stop', name = 'box') => deployment.api.admin.put(`/sandboxes/${name}/${verb}`);

test('200: the runner is asked, and the next read agrees', async () => {
  runner.answer = () => ({ call: 'done' });
  const [instance] = await deployment.instances('box');
  const stopped = await put('stop');
  expect(stopped.body).toMatchObject({
    message: 'The sandbox box is asleep.',
    metadata: { name: 'box' },
    status: 'DEPLOYED',
  });
  expect(runner.heard.at(-1)).toEqual({ name: 'sleep', body: { instance: instance?.id } });
  expect((await deployment.api.admin.get('/sandboxes/box')).body.state).toBe('STANDBY');
  expect((await put('start')).body.message).toBe('The sandbox box is awake.');
  expect(runner.heard.at(-1)?.name).toBe('wake');
  expect((await deployment.api.admin.get('/sandboxes/box')).body.state).toBe('RUNNING');
  const audit = await deployment.api.database.selectFrom('audit_log').select(['action', 'target']).execute();
  expect(audit).toContainEqual({ action: 'sandbox.stop', target: 'sandbox/box' });
});

test.for([
  ['start', 'sandbox_running'],
  ['stop', 'sandbox_not_running'],
] as const)('409: %s of one that is so already', async ([verb, code]) => {
  runner.answer = () => ({ call: 'unchanged' });
  const { status, body } = await put(verb);
  expect([status, body.error]).toEqual([409, code]);
});

test('409: a sandbox with open connections is not put to sleep, and the answer says why', async () => {
  runner.answer = () => ({ call: 'failed', message: 'Two requests are open.' });
  const { status, body } = await put('stop');
  expect([status, body.error]).toEqual([409, 'sandbox_in_use']);
  expect(body.message).toContain('Two requests are open.');
});

test('409: a sandbox that is not deployed', async () => {
  await deployment.api.admin.post('/sandboxes', named('off', { enabled: false }));
  const { status, body } = await put('start', 'off');
  expect([status, body.error]).toEqual([409, 'sandbox_not_deployed']);
});

test.for(['busy', 'unknown'] as const)('503: a machine that says %s', async (call) => {
  runner.answer = () => ({ call });
  const { status, headers } = await put('start');
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
});

test('503: a machine that cannot be reached', async () => {
  await sql`update runners set ingress_address = null where id = ${runner.id}`.execute(deployment.api.database);
  expect((await put('start')).status).toBe(503);
});

test.for(['call secret', 'session secret'] as const)(
  'the api also calls a runner of an earlier release, which checks its %s',
  async (checks) => {
    const earlier = await deployment.addRunner({ waiting: 1, checks });
    await deployment.api.admin.post('/sandboxes', named(checks.replace(' ', '-')));
    expect(earlier.heard.map(({ name }) => name)).toEqual(['adopt']);
  },
);

test('404: no such sandbox', async () => {
  expect((await put('start', 'nothing')).status).toBe(404);
});

test('403: only with the scope sandboxes:control', async () => {
  const key = async (scopes: string[]) =>
    (await deployment.api.admin.post('/profile/api_keys', { scopes })).body.apiKey;
  const without = deployment.api.admin.with({ key: await key(['sandboxes:update', 'sandboxes:get']) });
  expect((await without.put('/sandboxes/box/stop')).status).toBe(403);
  const with_ = deployment.api.admin.with({ key: await key(['sandboxes:control']) });
  expect((await with_.put('/sandboxes/nothing/stop')).status).toBe(404);
});
