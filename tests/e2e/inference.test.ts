// Every form of address reaches the right workload, through a gateway and the tunnel of its machine's runner. Tests
// that need their own workloads are in the folder of this name; all of them share one deployment.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { freePort } from '../../engines/free-port.ts';
import { buildEchoImage } from '../harness/echo-image.ts';
import { agent, clientOf, settled } from '../harness/workloads.ts';
import { type Call, callerTo, headerOf } from './inference/caller.ts';
import { canaryTests, prepareCanary } from './inference/canary.ts';
import { makeCertificate } from './inference/certificate.ts';
import { hostileTests, prepareHostile, type Sides } from './inference/hostile/hostile-tests.ts';
import { httpsTests } from './inference/https.ts';
import { hastySettings, limitTests } from './inference/limits.ts';
import { mcpTests, prepareMcp } from './inference/mcp.ts';
import { processTests } from './inference/processes.ts';
import { echo, type Site } from './inference/site.ts';
import { prepareThreads, threadTests } from './inference/threads.ts';
import { uploadTests } from './inference/upload.ts';

let fleet: Fleet;
let site: Site;
let call: Call;
let sides: Sides;
const made = new AsyncDisposableStack();

beforeAll(async () => {
  const certificate = made.use(await makeCertificate(['IP:127.0.0.1', 'DNS:*.local.localhost']));
  const { certFile: BERTH_GATEWAY_TLS_CERT_FILE, keyFile: BERTH_GATEWAY_TLS_KEY_FILE } = certificate;
  const [sharedPort, inspectorPort] = [await freePort(), await freePort()];
  const onSharedPort = { BERTH_GATEWAY_PORT: String(sharedPort) };
  const gateways = [
    {},
    { BERTH_GATEWAY_TLS_CERT_FILE, BERTH_GATEWAY_TLS_KEY_FILE },
    hastySettings,
    { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` },
    ...[onSharedPort, onSharedPort],
  ];
  const settings = { BERTH_RUNNER_INGRESS_PROCESSES: '2' };
  const workspaces = ['main', 'other'];
  fleet = made.use(await startFleet({ name: 'inference', workspaces, machines: 1, gateways, settings }));
  const [url = '', secure = '', hasty = ''] = fleet.gateways.map((gateway) => gateway.url);
  const [, , , guarded, ...sharing] = fleet.gateways;
  if (guarded === undefined) throw new Error('the fleet has no fourth gateway');
  const { dockerUrl } = fleet.machines[0] ?? { dockerUrl: '' };
  call = callerTo({ url, key: fleet.key });
  site = {
    ...{ fleet, dockerUrl, url, call, secure: { url: secure, ca: certificate.pem }, hasty: { url: hasty } },
    shared: {
      url: `http://127.0.0.1:${sharedPort}`,
      // The fleet numbers the logs of its gateways from 1, and the two sharing gateways follow four others.
      gateways: sharing.map(({ process }, at) => ({ process, logFile: join(fleet.folder, `gateway-${at + 5}.log`) })),
    },
    guarded: { ...guarded, inspectorPort },
  };
  await buildEchoImage(dockerUrl);
  const client = clientOf(fleet);
  const open = agent('open', echo);
  await client.post('/agents', agent('echo', { ...echo, env: { WORD: 'first' } }));
  await client.post('/agents', { ...open, spec: { ...open.spec, public: true } });
  const deployed = ['/agents/echo', '/agents/open'].map((path) => settled(client, path, ['DEPLOYED']));
  // In parallel, because a deployment mostly waits.
  [sides] = await Promise.all([
    prepareHostile(site),
    ...[prepareThreads, prepareMcp, prepareCanary].map((prepare) => prepare(site)),
    ...deployed,
  ]);
});
afterAll(() => made.disposeAsync());

const gatewayUrl = (): string => fleet.gateways[0]?.url ?? '';
const bearer = (): { authorization: string } => ({ authorization: `Bearer ${fleet.key}` });

describe('addresses', () => {
  test('an agent by path, with its inputs', async () => {
    const { status, body } = await call('/main/agents/echo', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"inputs":"hello"}',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ method: 'POST', url: '/', body: '{"inputs":"hello"}' });
  });

  test('an agent by its own host name', async () => {
    const { body } = await clientOf(fleet).get('/agents/echo');
    const host = new URL(body.metadata.url).host;
    expect(await call('/some/path?x=1', { headers: { host } })).toMatchObject({
      status: 200,
      body: { url: '/some/path?x=1' },
    });
  });

  test('raw paths arrive byte for byte', async () => {
    for (const path of ['/a%2Fb', '//double//slash', '/%7Etilde', '/a/../b', '/plus+sign?q=%20a+b&&', '/%E2%9C%93'])
      expect((await call(`/main/agents/echo${path}`)).body.url).toBe(path);
  });

  test('the credential stays here, identity is ours to say, and the thread id is passed on to agents', async () => {
    const { body } = await call('/main/agents/echo/x', {
      headers: { 'x-service-thread-id': 'thread-7', 'x-service-subject': 'forged', 'x-service-workspace': 'other' },
    });
    expect(headerOf(body.headers, 'authorization')).toBeUndefined();
    expect(headerOf(body.headers, 'x-service-thread-id')).toBe('thread-7');
    expect(headerOf(body.headers, 'x-service-workspace')).toBe('main');
    expect(headerOf(body.headers, 'x-service-subject')).not.toBe('forged');
  });
});

describe('access', () => {
  test('without a credential, or with a bad one: 401, whatever the name', async () => {
    for (const name of ['echo', 'no-such-agent'])
      for (const headers of [{ authorization: '' }, { authorization: 'Bearer service_wrong' }]) {
        const { status, body, headers: answered } = await call(`/main/agents/${name}`, { headers });
        expect([name, status, body.error.origin]).toEqual([name, 401, 'platform']);
        expect(answered['x-service-source']).toBe('platform');
      }
  });

  test('foreign and missing are the same', async () => {
    const answers = await Promise.all(['/main/agents/nothing', '/nowhere/agents/echo'].map((target) => call(target)));
    const [first, second] = answers.map(({ status, body }) => ({ status, error: { ...body.error, timestamp: '' } }));
    expect(first).toEqual(second);
    expect(first).toMatchObject({ status: 404, error: { code: 'WORKLOAD_NOT_FOUND' } });
  });

  test('a public agent asks for no credential', async () => {
    expect((await call('/main/agents/open/x', { headers: { authorization: '' } })).status).toBe(200);
  });

  test('a revoked key is refused, although it was accepted a moment ago', async () => {
    const { body } = await clientOf(fleet).post('/profile/api_keys', { name: 'short' });
    const headers = { authorization: `Bearer ${body.apiKey}` };
    expect((await call('/main/agents/echo', { headers })).status).toBe(200);
    await clientOf(fleet).delete(`/profile/api_keys/${body.id}`);
    await expect.poll(async () => (await call('/main/agents/echo', { headers })).status).toBe(401);
  });

  test("the workload's own failures are passed on as its own", async () => {
    const { status, headers } = await call('/main/agents/echo?status=503');
    expect(status).toBe(503);
    expect(headers['x-service-source']).toBeUndefined();
  });
});

describe('streams', () => {
  test('the first event of a stream is there before the second is sent', async () => {
    // The second event would come after the test has ended.
    const response = await fetch(`${gatewayUrl()}/main/agents/echo/events?count=2&pause=600000`, { headers: bearer() });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe('data: 0\n\n');
    await reader?.cancel();
  });

  test('a client that leaves is felt by the workload', async () => {
    const before = (await call('/main/agents/echo/standing')).body.aborted;
    const leaving = new AbortController();
    const response = await fetch(`${gatewayUrl()}/main/agents/echo/events?count=1000&pause=20`, {
      headers: bearer(),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await expect
      .poll(async () => (await call('/main/agents/echo/standing')).body)
      .toEqual({ aborted: before + 1, open: 0 });
  });

  test('a WebSocket passes both ways', async () => {
    const url = `${gatewayUrl().replace('http', 'ws')}/main/agents/open/ws`;
    const socket = new WebSocket(url);
    await once(socket, 'open');
    socket.send('hello there');
    const [event] = await once(socket, 'message');
    expect(event.data).toBe('hello there');
    socket.close();
  });
});

describe('a large upload', () => uploadTests(() => site));
describe('threads', () => threadTests(() => site));
describe('MCP servers', () => mcpTests(() => site));
describe('canary', () => canaryTests(() => site));
describe('https', () => httpsTests(() => site));
describe('limits', () => limitTests(() => site));
describe('several processes on one port', () => processTests(() => site));
describe('hostile input', () =>
  hostileTests(
    () => site,
    () => sides,
  ));

describe('changes', () => {
  test('a new revision takes over without a failed request', async () => {
    const client = clientOf(fleet);
    const failures: unknown[] = [];
    const words = new Set<string>();
    let isOver = false;
    let count = 0;
    const load = async () => {
      while (!isOver) {
        const { status, body } = await call('/main/agents/echo/x');
        count += 1;
        if (status !== 200) failures.push(body);
        else words.add(body.word);
      }
    };
    const loading = Promise.all(Array.from({ length: 4 }, load));
    for (const WORD of ['second', 'third']) {
      await client.put('/agents/echo', agent('echo', { ...echo, env: { WORD } }));
      await settled(client, '/agents/echo', ['DEPLOYED']);
      await sleep(1_500);
    }
    isOver = true;
    await loading;
    console.log(`${count} requests through two swaps`);
    expect(failures).toEqual([]);
    expect([...words].sort()).toEqual(['first', 'second', 'third']);
  });

  test('a disabled or deleted workload is not reached any more', async () => {
    const client = clientOf(fleet);
    await client.put('/agents/open', { metadata: {}, spec: { enabled: false } });
    await settled(client, '/agents/open', ['DEACTIVATED']);
    expect((await call('/main/agents/open')).status).toBe(503);
    await client.delete('/agents/open');
    await expect.poll(async () => (await call('/main/agents/open')).status).toBe(404);
  });
});
