import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { ingressServerName } from '@berth/contract';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { RunnerAway } from '../../services/gateway/src/proxy/connector.ts';
import { createConnector } from '../../services/gateway/src/proxy/connectors.ts';
import { createLocalConnector } from '../../services/gateway/src/proxy/local-connector.ts';
import {
  directConnector,
  listening,
  logger,
  startFront,
  startUpstream,
} from '../../services/gateway/src/proxy/proxy-fixture.ts';
import { createTunnelConnector } from '../../services/gateway/src/proxy/tunnel-connector.ts';
import { makeAuthority, type TestAuthority } from '../../services/runner/src/node/listener-fixture.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let authority: TestAuthority;
beforeAll(async () => {
  authority = await makeAuthority();
});

describe('through a runner’s tunnel', () => {
  /** A stand-in for a runner's ingress that may also misbehave. */
  async function startTunnel(serve: (socket: TLSSocket, line: string) => void, by = authority, name?: string) {
    const runnerId = randomUUID();
    const { certificate, key } = await by.issueServer(name ?? ingressServerName(runnerId));
    const reused: boolean[] = [];
    const lines: string[] = [];
    const server = createTlsServer({ cert: certificate, key, minVersion: 'TLSv1.3' }, (socket) => {
      reused.push(socket.isSessionReused());
      socket
        .on('error', () => {})
        .once('data', (chunk) => {
          lines.push(String(chunk));
          serve(socket, String(chunk));
        });
    });
    const port = await listening(server);
    closing.push(() => server.close());
    const ingress = { address: `127.0.0.1:${port}`, secret: 'open sesame' };
    return { endpoint: { instance: randomUUID(), revision: randomUUID(), runnerId, ingress }, reused, lines, server };
  }

  const connector = (answerMs = 2_000) =>
    createTunnelConnector({ authorityPem: async () => authority.certificate, answerMs, logger });

  test('requests pass through it, its line names the instance, and later connections resume the session', async () => {
    const upstream = await startUpstream((request, response) => request.pipe(response));
    closing.push(() => upstream.server.close());
    const { endpoint, reused, lines } = await startTunnel((socket) => {
      socket.write('{"tunnel":"open"}\n');
      const inner = connect(upstream.port, '127.0.0.1').on('error', () => socket.destroy());
      socket.pipe(inner).pipe(socket);
    });
    const front = await startFront(connector(), { endpoint });
    closing.push(() => front.close());
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(front.url, { method: 'POST', body: `round ${round}` });
      expect(await answer.text()).toBe(`round ${round}`);
      front.forwarder.forget(endpoint.instance);
    }
    expect(lines[0]).toBe(`${JSON.stringify({ secret: 'open sesame', instance: endpoint.instance })}\n`);
    expect(reused).toEqual([false, true, true]);
  });

  test('bytes that come with the answer are the container’s', async () => {
    const { endpoint } = await startTunnel((socket) => socket.end('{"tunnel":"open"}\nhello'));
    expect(await text(await connector().connect(endpoint))).toBe('hello');
  });

  test.each(['unknown', 'refused', 'unreachable'] as const)('%s: nothing was dispatched', async (tunnel) => {
    const { endpoint } = await startTunnel((socket) => socket.end(`${JSON.stringify({ tunnel })}\n`));
    await expect(connector().connect(endpoint)).rejects.toMatchObject({ reason: tunnel });
  });

  test.each([
    ['says nothing', (_: Socket) => {}],
    ['says something else', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['never ends its line', (socket: Socket) => void socket.write('x'.repeat(5_000))],
    ['hangs up', (socket: Socket) => void socket.destroy()],
  ])('a runner that %s is unreachable', async (_, serve) => {
    const { endpoint } = await startTunnel(serve);
    await expect(connector(300).connect(endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('the secret is not told to one who is not that runner', async () => {
    const stranger = await startTunnel(() => {}, await makeAuthority());
    const another = await startTunnel(() => {}, authority, ingressServerName(randomUUID()));
    for (const { endpoint, lines } of [stranger, another]) {
      await expect(connector().connect(endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
      expect(lines).toEqual([]);
    }
  });

  test('who is a runner is remembered while the database is away, and nothing is dispatched when it never was known', async () => {
    const { endpoint } = await startTunnel((socket) => socket.end('{"tunnel":"open"}\nhello'));
    let isAway = true;
    let asked = 0;
    const authorityPem = async () => {
      asked += 1;
      if (isAway) throw new Error('the database is away');
      return authority.certificate;
    };
    const tunnels = createTunnelConnector({ authorityPem, logger });
    await expect(tunnels.connect(endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
    isAway = false;
    expect(await text(await tunnels.connect(endpoint))).toBe('hello');
    isAway = true;
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    closing.push(() => vi.restoreAllMocks());
    expect(await text(await tunnels.connect(endpoint))).toBe('hello');
    expect(asked).toBe(3);
  });

  test('a runner that refused a connection is not called on again for a moment', async () => {
    const { endpoint, server } = await startTunnel((socket) => socket.end('{"tunnel":"open"}\nhello'));
    const tunnels = createTunnelConnector({
      authorityPem: async () => authority.certificate,
      refusedMs: 2_000,
      logger,
    });
    const { port } = new URL(`tcp://${endpoint.ingress.address}`);
    await new Promise((closed) => server.close(closed));
    await expect(tunnels.connect(endpoint)).rejects.toBeInstanceOf(RunnerAway);
    await new Promise<void>((again) => server.listen(Number(port), '127.0.0.1', again));
    await expect(tunnels.connect(endpoint)).rejects.toBeInstanceOf(RunnerAway);
    await vi.waitFor(async () => expect(await text(await tunnels.connect(endpoint))).toBe('hello'), 5_000);
  });

  test('nobody listens, no ingress, or no longer wanted: nothing was dispatched', async () => {
    const { endpoint } = await startTunnel(() => {});
    const gone = { ...endpoint, ingress: { address: '127.0.0.1:1', secret: 's' } };
    await expect(connector().connect(gone)).rejects.toMatchObject({ reason: 'unreachable' });
    await expect(connector().connect({ ...endpoint, ingress: undefined })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await expect(connector().connect(endpoint, AbortSignal.timeout(50))).rejects.toMatchObject({
      reason: 'unreachable',
    });
  });
});

describe('on the runner’s own machine', () => {
  async function startLeases(port: number) {
    const folder = await mkdtemp(join(tmpdir(), 'berth-lease-'));
    const socketPath = join(folder, 'lease.sock');
    const known = new Set<string>();
    const held = new Set<Socket>();
    let asked = 0;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      asked += 1;
      socket
        .on('error', () => {})
        .once('data', (line) => {
          const isKnown = known.has(JSON.parse(String(line)).instance);
          if (!isKnown) return socket.end('{"lease":"unknown"}\n');
          held.add(socket);
          socket.once('close', () => held.delete(socket)).once('end', () => socket.end());
          return socket.write(`${JSON.stringify({ lease: 'held', address: '127.0.0.1', port })}\n`);
        });
    });
    server.listen(socketPath);
    await once(server, 'listening');
    closing.push(
      () => rm(folder, { recursive: true, force: true }),
      () => server.close(),
      () => {
        for (const socket of held) socket.destroy();
      },
    );
    return { socketPath, known, held, asked: () => asked };
  }

  async function start(keepMs = 30_000) {
    const upstream = await startUpstream((request, response) => {
      if (request.url !== '/wait') request.pipe(response);
      else setTimeout(() => response.end('waited'), 300);
    });
    const leases = await startLeases(upstream.port);
    const over: string[] = [];
    const local = createLocalConnector({
      socketPath: leases.socketPath,
      keepMs,
      onLeaseOver: (instance) => {
        over.push(instance);
        front.forwarder.forget(instance);
      },
    });
    const viaTunnel = vi.fn(directConnector(upstream.port).connect);
    const front = await startFront(createConnector(local, { connect: viaTunnel, close: async () => {} }));
    leases.known.add(front.endpoint.instance);
    closing.push(
      () => upstream.server.close(),
      () => upstream.server.closeAllConnections(),
      () => local.close(),
      () => front.close(),
    );
    return { upstream, leases, front, over, viaTunnel };
  }

  const post = async (url: string) => (await fetch(url, { method: 'POST', body: 'hi' })).text();

  test('many requests share one lease, and it ends a while after the last connection', async () => {
    const { leases, front, over, viaTunnel, upstream } = await start(200);
    expect(await Promise.all(Array.from({ length: 20 }, () => post(front.url)))).toEqual(Array(20).fill('hi'));
    expect([leases.asked(), leases.held.size, viaTunnel.mock.calls.length]).toEqual([1, 1, 0]);
    front.forwarder.forget(front.endpoint.instance);
    await vi.waitFor(() => expect(upstream.sockets.size).toBe(0));
    expect(leases.held.size).toBe(1);
    await vi.waitFor(() => expect(leases.held.size).toBe(0));
    expect(over).toEqual([front.endpoint.instance]);
  });

  test('a lease that the runner wants back is kept until what is under way is done, and nothing new uses it', async () => {
    const { leases, front, viaTunnel } = await start();
    const waiting = fetch(`${front.url}/wait`).then((answer) => answer.text());
    await vi.waitFor(() => expect(leases.held.size).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    leases.known.clear();
    for (const socket of leases.held) socket.write('{"lease":"over"}\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await post(front.url)).toBe('hi');
    expect(viaTunnel).toHaveBeenCalledOnce();
    expect(leases.held.size).toBe(1);
    expect(await waiting).toBe('waited');
    await vi.waitFor(() => expect(leases.held.size).toBe(0));
  });

  test('unknown here, or no runner here at all: the tunnel is used', async () => {
    const { leases, front, viaTunnel } = await start();
    leases.known.clear();
    expect(await post(front.url)).toBe('hi');
    expect(viaTunnel).toHaveBeenCalledOnce();
    const local = createLocalConnector({ socketPath: '/nowhere/lease.sock' });
    expect(await local.connect(front.endpoint)).toBeUndefined();
    const never = createLocalConnector({ socketPath: leases.socketPath, isLocal: () => false });
    expect(await never.connect(front.endpoint)).toBeUndefined();
  });

  test('a container that does not accept connections was not dispatched to', async () => {
    const leases = await startLeases(1);
    const { front } = await start();
    leases.known.add(front.endpoint.instance);
    const local = createLocalConnector({ socketPath: leases.socketPath });
    closing.push(() => local.close());
    await expect(local.connect(front.endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
  });
});
