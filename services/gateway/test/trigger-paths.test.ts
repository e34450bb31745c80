// Requests to the paths of triggers of agents and functions.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { createNoticeLog } from '../src/routing/notice-log.ts';
import { createTriggerCache } from '../src/triggers/trigger-cache.ts';
import { type ApiWithWorkloads, silent, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector, startUpstream, type Upstream } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

const brand = conformanceBrand();
let workloads: ApiWithWorkloads;
let upstream: Upstream;
let gateway: TestGateway;
let member: { key: string };
let foreigner: { key: string };

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  upstream = await startUpstream(({ method, url, headers }, response) =>
    response.end(JSON.stringify({ method, url, headers })),
  );
  gateway = await startTestGateway(workloads, directConnector(upstream.port));
  await workloads.api.addWorkspace('other');
  member = await workloads.api.user({ memberOf: 'main' });
  foreigner = await workloads.api.user({ memberOf: 'other' });
});
afterAll(async () => {
  upstream.server.closeAllConnections();
  upstream.server.close();
  await gateway[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

const trigger = (path: string, configuration: object = {}, more: object = {}) => ({
  ...{ id: path.replaceAll('/', '-'), type: 'http', enabled: true, ...more },
  configuration: { path, ...configuration },
});
const publicly = { authenticationType: 'public' };

async function deploy(name: string, triggers: object[], spec: object = {}, kind: 'agent' | 'function' = 'agent') {
  const { uid, revision } = await workloads.deploy(name, { ...spec, triggers }, 'main', kind);
  await workloads.addInstance(uid, revision, await workloads.addRunner());
}

const put = async (name: string, triggers: object[]) => {
  const runtime = { image: 'registry.example.org/a:1' };
  const { status, text } = await workloads.api.admin.put(`/agents/${name}`, {
    metadata: { name },
    spec: { runtime, triggers },
  });
  expect(status, text).toBe(200);
};

async function call(path: string, key?: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const { method = 'POST', headers = {} } = options;
  const answer = await fetch(`${gateway.url}/main/${path}`, {
    method,
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
  });
  const text = await answer.text();
  return { status: answer.status, code: answer.headers.get(`x-${brand.long}-error-code`), body: JSON.parse(text) };
}

const urlAt = async (path: string, key?: string) => (await call(path, key)).body.url;
const refused = async (path: string, key?: string) => {
  const { status, code } = await call(path, key);
  return [status, code];
};
const denied = [401, 'AUTHENTICATION_REQUIRED'];
const missing = [404, 'WORKLOAD_NOT_FOUND'];

test('the path of a trigger is another address of its workload, which sees the rest of the path', async () => {
  await deploy('rest', [trigger('hooks/rest')]);
  await deploy('server', [trigger('tools')], {}, 'function');
  for (const [path, seen] of [
    ['hooks/rest', '/'],
    ['hooks/rest/', '/'],
    ['hooks/rest?a=%20b', '/?a=%20b'],
    ['hooks/rest/a/b/c/d/%20?x=1', '/a/b/c/d/%20?x=1'],
    ['hooks/rest//double', '//double'],
    ['tools/mcp', '/mcp'],
  ] as const)
    expect([path, await urlAt(path, member.key)]).toEqual([path, seen]);
  const { body } = await call('hooks/rest/x', member.key, { method: 'PATCH', headers: { 'x-own': 'kept' } });
  expect(body).toMatchObject({
    method: 'PATCH',
    headers: expect.objectContaining({ 'x-own': 'kept', [`x-${brand.long}-workload`.toLowerCase()]: 'rest' }),
  });
  expect(body.headers.authorization).toBeUndefined();
});

test('of several paths with which an address begins the longest counts', async () => {
  await deploy('short', [trigger('deep')]);
  await deploy('long', [trigger('deep/er')]);
  const seenBy = async (path: string) => {
    const { body } = await call(path, member.key);
    return [body.headers[`x-${brand.long}-workload`.toLowerCase()], body.url];
  };
  expect(await seenBy('deep/x')).toEqual(['short', '/x']);
  expect(await seenBy('deep/er')).toEqual(['long', '/']);
  expect(await seenBy('deep/er/x')).toEqual(['long', '/x']);
  expect(await seenBy('deep/erx')).toEqual(['short', '/erx']);
});

test('a public path is open and everything else stays closed', async () => {
  await deploy('half', [trigger('open', publicly), trigger('closed')]);
  expect(await urlAt('open/a')).toBe('/a');
  expect(await refused('closed')).toEqual(denied);
  expect(await refused('agents/half')).toEqual(denied);
  expect(await urlAt('closed', member.key)).toBe('/');
  // The key of a stranger is checked and taken out, and opens nothing but the public path.
  const { status, body } = await call('open', foreigner.key);
  expect([status, body.headers.authorization]).toEqual([200, undefined]);
  expect(await refused('closed', foreigner.key)).toEqual(missing);
});

test('a private path of a public agent asks for a key', async () => {
  await deploy('shown', [trigger('inner')], { public: true });
  expect(await urlAt('agents/shown')).toBe('/');
  expect(await refused('inner')).toEqual(denied);
});

test('foreign and missing paths answer the same', async () => {
  await deploy('hidden', [trigger('hidden/path')]);
  for (const path of ['hidden/path', 'hidden/path/x', 'hidden/other', 'nothing']) {
    expect([path, await refused(path)]).toEqual([path, denied]);
    expect([path, await refused(path, foreigner.key)]).toEqual([path, missing]);
  }
  expect(await refused('hidden/other', member.key)).toEqual(missing);
});

test('a key with scopes needs the one that calls the workload', async () => {
  await deploy('scoped', [trigger('scoped')]);
  const keyWith = async (...scopes: string[]): Promise<string> =>
    (await workloads.api.admin.post('/profile/api_keys', { scopes })).body.apiKey;
  expect(await refused('scoped', await keyWith('jobs:create'))).toEqual([403, 'FORBIDDEN']);
  expect(await urlAt('scoped', await keyWith('agents:call'))).toBe('/');
});

test('a path that another resource of the workspace has is refused with 409, whatever its kind', async () => {
  await deploy('holder', [trigger('one/place')]);
  const post = async (path: string, triggers: object[]) =>
    (await workloads.api.admin.post(path, { metadata: { name: 'second' }, spec: { triggers } })).status;
  expect(await post('/jobs', [trigger('one/place')])).toBe(409);
  expect(await post('/agents', [trigger('/one/place', {}, { type: 'http-async' })])).toBe(409);
  expect(await post('/functions', [trigger('one/place')])).toBe(409);
  expect(await post('/agents', [trigger('agents/x')])).toBe(400);
  // Below a path of another resource is another path.
  expect(await post('/agents', [trigger('one/place/below')])).toBe(200);
});

test('a path that is switched off, moved or removed answers at its new place alone', async () => {
  await deploy('moving', [trigger('here')]);
  expect(await urlAt('here', member.key)).toBe('/');
  await put('moving', [trigger('here', {}, { enabled: false })]);
  await expect.poll(() => refused('here', member.key)).toEqual(missing);
  await put('moving', [trigger('there')]);
  await expect.poll(() => urlAt('there', member.key)).toBe('/');
  expect(await refused('here', member.key)).toEqual(missing);
  await put('moving', []);
  await expect.poll(() => refused('there', member.key)).toEqual(missing);
});

test('a gateway that hears of no change knows a moved path after less than a second', async () => {
  await deploy('unheard', [trigger('old/place')]);
  let clock = 0;
  const { database } = workloads;
  const triggers = createTriggerCache(createNoticeLog(), { database, logger: silent, now: () => clock });
  const at = (name: string) => triggers.find({ by: 'trigger', workspace: 'main', name, isWhole: true, target: name });
  expect(await at('old/place')).toMatchObject({ name: 'unheard' });
  expect(await at('new/place')).toBeUndefined();
  await put('unheard', [trigger('new/place')]);
  // Shows that the clock decides: without a notice, what is fresh is believed.
  expect(await at('old/place')).toMatchObject({ name: 'unheard' });
  clock = 999;
  expect(await at('old/place')).toBeUndefined();
  expect(await at('new/place')).toMatchObject({ name: 'unheard' });
});

test('a path of a workload that is switched off says so to its callers', async () => {
  await deploy('off', [trigger('off', publicly)], { enabled: false });
  expect(await refused('off')).toEqual([503, 'WORKLOAD_UNAVAILABLE']);
});
