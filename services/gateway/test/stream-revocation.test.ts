// A stream opened with a key or a token outlives it by at most two looks of a minute each.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProviderStandIn } from '../../../tests/harness/provider-stand-in.ts';
import { type ApiWithWorkloads, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector, startUpstream, type Upstream } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

let workloads: ApiWithWorkloads;
let upstream: Upstream;
let gateway: TestGateway;
let provider: ProviderStandIn;

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  upstream = await startUpstream((_request, response) => void response.write('data: first\n\n'));
  const { uid, revision } = await workloads.deploy('private');
  await workloads.addInstance(uid, revision, await workloads.addRunner());
  gateway = await startTestGateway(workloads, directConnector(upstream.port));
  provider = await ProviderStandIn.start();
  provider.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[]}\n\n');
  };
  const { admin } = workloads.api;
  const secret = { API_KEY: 'key-of-the-provider' };
  const config = { BASE_URL: provider.url };
  for (const [path, name, spec] of [
    ['/integrations/connections', 'own', { integration: 'hf_private_endpoint', secret, config }],
    ['/models', 'chat', { integrationConnections: ['own'], runtime: { type: 'hf_private_endpoint', model: 'm' } }],
  ] as const)
    expect((await admin.post(path, { metadata: { name }, spec })).status).toBe(200);
});
afterAll(async () => {
  upstream.server.closeAllConnections();
  upstream.server.close();
  await provider[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

const ofAgent = { path: '/main/agents/private/events' };
const ofModel = { path: '/main/models/chat', method: 'POST', body: '{"messages":[],"stream":true}' };

/** Resolves after the first event. */
async function openStream(key: string, { path, ...request }: { path: string; method?: string; body?: string }) {
  const { status, body } = await fetch(`${gateway.url}${path}`, {
    ...request,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  expect(status).toBe(200);
  const reader = body?.getReader();
  await reader?.read();
  let isCut = false;
  void reader?.read().catch(() => {
    isCut = true;
  });
  return { isCut: () => isCut, cancel: () => reader?.cancel() };
}

test.each([
  ['an agent', ofAgent],
  ['a model', ofModel],
])(
  'a stream of %s is cut when its key is revoked or its owner leaves the workspace; streams of others go on',
  async (_, request) => {
    const [revoked, removed, other] = await Promise.all([1, 2, 3].map(() => workloads.api.user({ memberOf: 'main' })));
    if (revoked === undefined || removed === undefined || other === undefined) throw new Error('no users');
    const [ofRevoked, ofRemoved, ofOther] = await Promise.all(
      [revoked, removed, other].map(({ key }) => openStream(key, request)),
    );
    // New streams are only checked from the second look on.
    await gateway.streams.recheck();
    await workloads.database.deleteFrom('api_keys').where('user_id', '=', revoked.id).execute();
    await workloads.database.deleteFrom('workspace_members').where('user_id', '=', removed.id).execute();
    await expect
      .poll(async () => {
        await gateway.streams.recheck();
        return [ofRevoked?.isCut(), ofRemoved?.isCut()];
      })
      .toEqual([true, true]);
    await gateway.streams.recheck();
    expect(ofOther?.isCut()).toBe(false);
    await ofOther?.cancel();
  },
);
