// A stream opened with a key or a token outlives it by at most two looks of a minute each.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiWithWorkloads, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector, startUpstream, type Upstream } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

let workloads: ApiWithWorkloads;
let upstream: Upstream;
let gateway: TestGateway;

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  upstream = await startUpstream((_request, response) => void response.write('data: first\n\n'));
  const { uid, revision } = await workloads.deploy('private');
  await workloads.addInstance(uid, revision, await workloads.addRunner());
  gateway = await startTestGateway(workloads, directConnector(upstream.port));
});
afterAll(async () => {
  upstream.server.closeAllConnections();
  upstream.server.close();
  await gateway[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

/** Opens an event stream of the agent; resolves after its first event. */
async function openStream(key: string) {
  const { status, body } = await fetch(`${gateway.url}/main/agents/private/events`, {
    headers: { authorization: `Bearer ${key}` },
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

test('a stream is cut when its key is revoked or its owner leaves the workspace; streams of others go on', async () => {
  const [revoked, removed, other] = await Promise.all([1, 2, 3].map(() => workloads.api.user({ memberOf: 'main' })));
  if (revoked === undefined || removed === undefined || other === undefined) throw new Error('no users');
  const [ofRevoked, ofRemoved, ofOther] = await Promise.all(
    [revoked, removed, other].map(({ key }) => openStream(key)),
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
});
