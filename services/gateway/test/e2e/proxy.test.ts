// Memory of the proxy while large amounts of data pass through it. The workload and the uploading client run in their
// own processes, so that the measured memory is the proxy's.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestIngress } from '../../../runner/test/test-ingress.ts';
import { createLocalConnector } from '../../src/proxy/local-connector.ts';
import { createTunnelConnector } from '../../src/proxy/tunnel-connector.ts';
import { directConnector, type Front, logger, startFront } from '../proxy-fixture.ts';

/** Timeout of a wait for something that never happens. */
const endMs = 60_000;
let workload: ChildProcess;
let workloadPort: number;
let front: Front;

beforeAll(async () => {
  workload = fork(new URL('./proxy/workload.ts', import.meta.url));
  const [port] = await once(workload, 'message');
  workloadPort = port;
});
afterAll(() => workload?.kill());

beforeEach(async () => {
  const timeouts = { totalMs: 120_000, silentMs: 60_000 };
  front = await startFront(directConnector(workloadPort), {
    forwarder: { timeouts: { agent: timeouts, function: timeouts, sandbox: timeouts } },
  });
});
afterEach(() => front.close());

/** Counters from the workload itself: requests under way, open connections, bytes read and written. */
async function counts(): Promise<{ active: number; sockets: number; read: number; written: number }> {
  const answer = await fetch(`http://127.0.0.1:${workloadPort}/counts`, { headers: { connection: 'close' } });
  return answer.json() as never;
}

const noneUnderWay = () => vi.waitFor(async () => expect((await counts()).active).toBe(0), endMs);

/** Peak growth of this process's resident memory while the work runs. */
async function growthMb(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return (most - before) / bytesPerMb;
}

/** Waits until a number has stopped changing. */
async function settled(read: () => Promise<number>): Promise<number> {
  for (let last = -1; ; ) {
    const now = await read();
    if (now === last && now > 0) return now;
    last = now;
    await sleep(500);
  }
}

async function upload(sizeMb: number): Promise<void> {
  const client = fork(new URL('./proxy/uploader.ts', import.meta.url), [String(front.port), String(sizeMb)]);
  const [got] = await once(client, 'message');
  expect(got).toBe(String(sizeMb * bytesPerMb));
}

test('an upload of 200 MB in chunks of unknown number leaves memory flat', async () => {
  // Garbage that the first upload leaves to the collector is not growth.
  await upload(200);
  expect(await growthMb(() => upload(200))).toBeLessThan(50);
  expect(front.outcomes[1]?.bytesIn).toBe(200 * bytesPerMb);
});

test('a client that does not read stops the workload, and nothing piles up in between', async () => {
  const clients: Socket[] = [];
  const before = (await counts()).written;
  let inFlight = 0;
  const grown = await growthMb(async () => {
    for (let at = 0; at < 20; at += 1) {
      const client = connect(front.port, '127.0.0.1').on('error', () => {});
      client.pause().write('GET /endless HTTP/1.1\r\nHost: h\r\n\r\n');
      clients.push(client);
    }
    inFlight = (await settled(async () => (await counts()).written)) - before;
  });
  // Per client: kernel buffers of four sockets, and a few chunks in the proxy.
  expect(inFlight / clients.length / bytesPerMb).toBeLessThan(16);
  expect(grown).toBeLessThan(50);
  for (const client of clients) client.destroy();
  await noneUnderWay();
});

test('a workload that does not read stops the client', async () => {
  let sent = 0;
  const outgoing = send(`${front.url}/deaf`, { method: 'POST' }).on('error', () => {});
  const chunk = Buffer.alloc(64 * 1024);
  const push = () => {
    for (let more = true; more; sent += chunk.length) more = outgoing.write(chunk);
  };
  outgoing.on('drain', push);
  const grown = await growthMb(async () => {
    push();
    await settled(async () => sent);
  });
  expect(sent / bytesPerMb).toBeLessThan(16);
  expect(grown).toBeLessThan(50);
  outgoing.destroy();
  await fetch(`http://127.0.0.1:${workloadPort}/hear`, { headers: { connection: 'close' } });
  await noneUnderWay();
});

test('a thousand clients that leave, before, within and after their request, leave no request behind', async () => {
  const shapes = [
    'GET /hang HTTP/1.1\r\nHost: h\r\n\r\n',
    'GET /endless HTTP/1.1\r\nHost: h\r\n\r\n',
    'POST /hang HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\npart',
    'POST /hang HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n',
    'GET /hang HTTP/1.1\r\nHost',
  ];
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, at) => {
      await sleep(at % 200);
      const client = connect(front.port, '127.0.0.1').on('error', () => {});
      const shape = shapes[at % shapes.length] ?? '';
      client.write(shape);
      client.resume();
      // On a busy machine a client may leave before it is accepted; one that has been answered was certainly accepted.
      if (shape.includes('/endless')) await once(client, 'data');
      await sleep((at * 7) % 90);
      if (at % 2 === 0) client.destroy();
      else client.resetAndDestroy();
    }),
  );
  await vi.waitFor(async () => expect(await counts()).toMatchObject({ active: 0, sockets: 1 }), endMs);
  await vi.waitFor(() => expect(front.outcomes.length).toBeGreaterThanOrEqual(200), endMs);
  expect(new Set(front.outcomes.map(({ error }) => error?.code))).toEqual(new Set(['client_gone']));
  expect(await (await fetch(`${front.url}/fine`)).text()).toBe('fine');
});

test('through the ingress of a real runner, by its tunnel and by its lease', async () => {
  await using ingress = await startTestIngress();
  const instance = await ingress.serve((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  const { runnerId, port } = ingress;
  const endpoint = { instance, revision: instance, runnerId, ingress: { address: `127.0.0.1:${port}` } };
  const tunnel = createTunnelConnector({ credentials: ingress.credentials('gateway'), logger });
  const local = createLocalConnector({ socketPath: ingress.lease });
  for (const connector of [
    tunnel,
    { ...local, connect: async () => (await local.connect(endpoint)) ?? Promise.reject() },
  ]) {
    const own = await startFront(connector, { endpoint });
    expect(await (await fetch(own.url)).text()).toBe('ok');
    await own.close();
  }
  await local.close();
  await expect(tunnel.connect({ ...endpoint, instance: runnerId })).rejects.toMatchObject({ reason: 'unknown' });
});
