import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { ingressCallerName, ingressServerName, wireProtocol } from '@berth/contract/node';
import { Bundle, type Channel, createCredentials, RunnerAway, readLine } from '@berth/wire';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeAuthority, type TestAuthority } from '../../runner/test/test-listener.ts';
import { createLocalConnector } from '../src/proxy/local-connector.ts';
import { createLocalFirstConnector } from '../src/proxy/local-first-connector.ts';
import { createTunnelConnector } from '../src/proxy/tunnel-connector.ts';
import { directConnector, listening, logger, startFront, startUpstream } from './proxy-fixture.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let authority: TestAuthority;
beforeAll(async () => {
  authority = await makeAuthority();
});

describe('through a runner’s tunnel', () => {
  const welcome = (socket: Socket): void => void socket.write('{"tunnel":"open"}\n');

  /** Stand-in for a runner's ingress that may also misbehave: at the first line, or when a tunnel is requested. */
  async function startRunner(
    onTunnel: (channel: Channel, answer: (words: string) => void) => void = () => {},
    onLine: (socket: TLSSocket) => void = welcome,
    by = authority,
    name?: string,
  ) {
    const runnerId = randomUUID();
    const { certificate, key } = await by.issueServer(name ?? ingressServerName(runnerId));
    const reused: boolean[] = [];
    const heard: string[] = [];
    const sockets = new Set<TLSSocket>();
    const server = createTlsServer({ cert: certificate, key, minVersion: 'TLSv1.3' }, async (socket) => {
      reused.push(socket.isSessionReused());
      sockets.add(socket.on('error', () => {}));
      heard.push((await readLine(socket, 4_096)) ?? 'nothing');
      onLine(socket);
      new Bundle(socket, {
        onOpen(words, channel, answer) {
          heard.push(words);
          onTunnel(channel, answer);
        },
      });
    });
    const port = await listening(server);
    closing.push(
      () => server.close(),
      () => {
        for (const socket of sockets) socket.destroy();
      },
    );
    const ingress = { address: `127.0.0.1:${port}`, secret: 'open sesame' };
    const endpoint = { instance: randomUUID(), revision: randomUUID(), runnerId, ingress };
    return { endpoint, reused, heard, sockets, server };
  }

  function credentials(authorityPem = async () => authority.certificate) {
    const certify = (publicKey: string) => authority.certifyKey(publicKey, ingressCallerName('gateway'));
    const made = createCredentials({ authorityPem, certify, logger });
    closing.push(() => made.close());
    return made;
  }

  function connector(answerMs = 20_000) {
    const made = createTunnelConnector({ credentials: credentials(), answerMs, logger });
    closing.push(() => made.close());
    return made;
  }

  const opened = (channel: Channel, answer: (words: string) => void) => {
    answer('{"tunnel":"open"}');
    channel.end('hello');
  };

  test('requests pass through it, one connection carries them, and a later one resumes the session', async () => {
    const upstream = await startUpstream((request, response) => request.pipe(response));
    closing.push(() => upstream.server.close());
    const { endpoint, reused, heard, sockets } = await startRunner((channel, answer) => {
      answer('{"tunnel":"open"}');
      const inner = connect(upstream.port, '127.0.0.1').on('error', () => channel.destroy());
      channel.pipe(inner).pipe(channel);
    });
    const front = await startFront(connector(), { endpoint });
    closing.push(() => front.close());
    const post = async (body: string) => (await fetch(front.url, { method: 'POST', body })).text();
    for (let round = 0; round < 3; round += 1) {
      expect(await post(`round ${round}`)).toBe(`round ${round}`);
      front.forwarder.forget(endpoint.instance);
    }
    const [line, ...words] = heard;
    expect(JSON.parse(line ?? '')).toEqual({ secret: 'open sesame', protocol: wireProtocol });
    expect(words).toEqual(Array(3).fill(JSON.stringify({ instance: endpoint.instance })));
    expect(reused).toEqual([false]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => post('again')).toBe('again');
    expect(reused).toEqual([false, true]);
  });

  test('tunnels that come at once are spread over a few connections', async () => {
    const counts = new Map<Channel, number>();
    const { endpoint, sockets } = await startRunner((channel, answer) => {
      counts.set(channel, channel.id);
      answer('{"tunnel":"open"}');
    });
    const tunnels = connector();
    await Promise.all(Array.from({ length: 80 }, () => tunnels.connect(endpoint)));
    expect(sockets.size).toBe(4);
    // Channel numbers restart on every connection, so the highest number is the largest share of one connection.
    expect(Math.max(...counts.values())).toBe(20);
  });

  test('a connection that breaks takes its tunnels along, and the next tunnel has another', async () => {
    const { endpoint, sockets } = await startRunner((_channel, answer) => answer('{"tunnel":"open"}'));
    const tunnels = connector();
    const tunnel = await tunnels.connect(endpoint);
    for (const socket of sockets) socket.destroy();
    await expect(text(tunnel)).rejects.toThrow();
    await tunnels.connect(endpoint);
    expect(sockets.size).toBe(2);
  });

  test('bytes that come with the answer are the container’s', async () => {
    const { endpoint } = await startRunner(opened);
    expect(await text(await connector().connect(endpoint))).toBe('hello');
  });

  test.each(['unknown', 'refused', 'unreachable'] as const)('%s: nothing was dispatched', async (tunnel) => {
    const { endpoint } = await startRunner((_channel, answer) => answer(JSON.stringify({ tunnel })));
    await expect(connector().connect(endpoint)).rejects.toMatchObject({ reason: tunnel });
  });

  test('a runner that refuses the gateway itself: nothing was dispatched', async () => {
    const { endpoint } = await startRunner(opened, (socket) => void socket.end('{"tunnel":"refused"}\n'));
    await expect(connector().connect(endpoint)).rejects.toMatchObject({ reason: 'refused' });
  });

  test.each([
    ['says nothing', (_: Socket) => {}],
    ['says something else', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['never ends its line', (socket: Socket) => void socket.write('x'.repeat(5_000))],
    ['hangs up', (socket: Socket) => void socket.destroy()],
    ['says nonsense later', (socket: Socket) => void socket.write('{"tunnel":"open"}\nnonsense, in no frame')],
  ])('a runner that %s is unreachable', async (_, onLine) => {
    const { endpoint } = await startRunner(() => {}, onLine);
    await expect(connector(300).connect(endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('a runner that does not answer for a tunnel is unreachable', async () => {
    const { endpoint } = await startRunner(() => {});
    await expect(connector(300).connect(endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('the secret is not told to one who is not that runner', async () => {
    const stranger = await startRunner(opened, welcome, await makeAuthority());
    const another = await startRunner(opened, welcome, authority, ingressServerName(randomUUID()));
    for (const { endpoint, heard } of [stranger, another]) {
      await expect(connector().connect(endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
      expect(heard.filter((line) => line !== 'nothing')).toEqual([]);
    }
  });

  test('known runners are remembered while the database is away, and nothing is dispatched to an unknown runner', async () => {
    const { endpoint, sockets } = await startRunner(opened);
    let isAway = true;
    let asked = 0;
    const authorityPem = async () => {
      asked += 1;
      if (isAway) throw new Error('the database is away');
      return authority.certificate;
    };
    const tunnels = createTunnelConnector({ credentials: credentials(authorityPem), logger });
    closing.push(() => tunnels.close());
    await expect(tunnels.connect(endpoint)).rejects.toMatchObject({ reason: 'unreachable' });
    isAway = false;
    expect(await text(await tunnels.connect(endpoint))).toBe('hello');
    isAway = true;
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    closing.push(() => vi.restoreAllMocks());
    const before = sockets.size;
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => text(await tunnels.connect(endpoint))).toBe('hello');
    expect(sockets.size).toBe(before + 1);
    expect(asked).toBe(3);
  });

  test('a runner that refused a connection is not called on again for a moment', async () => {
    const { endpoint, server } = await startRunner(opened);
    const [unforgiving, forgiving] = [3_600_000, 1].map((refusedMs) => {
      const made = createTunnelConnector({ credentials: credentials(), refusedMs, logger });
      closing.push(() => made.close());
      return made;
    });
    const { port } = new URL(`tcp://${endpoint.ingress.address}`);
    await new Promise((closed) => server.close(closed));
    for (const each of [unforgiving, forgiving])
      await expect(each?.connect(endpoint)).rejects.toBeInstanceOf(RunnerAway);
    await new Promise<void>((again) => server.listen(Number(port), '127.0.0.1', again));
    await expect(unforgiving?.connect(endpoint)).rejects.toBeInstanceOf(RunnerAway);
    await expect
      .poll(async () => {
        const tunnel = await forgiving?.connect(endpoint);
        return tunnel && text(tunnel);
      })
      .toBe('hello');
  });

  test('a runner that stops is left, also on a connection that is open', async () => {
    const { endpoint } = await startRunner((_, answer) => answer('{"tunnel":"leaving"}'));
    await expect(connector().connect(endpoint)).rejects.toBeInstanceOf(RunnerAway);
  });

  test('no listener, no ingress, or an aborted request: nothing was dispatched', async () => {
    const { endpoint } = await startRunner(() => {});
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
    const waited = Promise.withResolvers<void>();
    const upstream = await startUpstream((request, response) => {
      if (request.url !== '/wait') request.pipe(response);
      else void waited.promise.then(() => response.end('waited'));
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
    const front = await startFront(createLocalFirstConnector(local, { connect: viaTunnel, close: async () => {} }));
    leases.known.add(front.endpoint.instance);
    closing.push(
      () => upstream.server.close(),
      () => upstream.server.closeAllConnections(),
      () => local.close(),
      () => front.close(),
    );
    return { upstream, leases, front, over, viaTunnel, endWait: waited.resolve };
  }

  const post = async (url: string) => (await fetch(url, { method: 'POST', body: 'hi' })).text();

  test('many requests share one lease, and it ends a while after the last connection', async () => {
    const { leases, front, over, viaTunnel, upstream } = await start(5_000);
    expect(await Promise.all(Array.from({ length: 20 }, () => post(front.url)))).toEqual(Array(20).fill('hi'));
    expect([leases.asked(), leases.held.size, viaTunnel.mock.calls.length]).toEqual([1, 1, 0]);
    front.forwarder.forget(front.endpoint.instance);
    await expect.poll(() => upstream.sockets.size).toBe(0);
    expect(leases.held.size).toBe(1);
    await expect.poll(() => leases.held.size).toBe(0);
    expect(over).toEqual([front.endpoint.instance]);
  });

  test('a recalled lease is kept until its open requests are done, and no new request uses it', async () => {
    const { leases, front, viaTunnel, upstream, endWait } = await start();
    const waiting = fetch(`${front.url}/wait`).then((answer) => answer.text());
    await expect.poll(() => [leases.held.size, upstream.sockets.size]).toEqual([1, 1]);
    leases.known.clear();
    for (const socket of leases.held) socket.write('{"lease":"over"}\n');
    await expect
      .poll(async () => {
        expect(await post(front.url)).toBe('hi');
        return viaTunnel.mock.calls.length;
      })
      .toBeGreaterThan(0);
    expect(leases.held.size).toBe(1);
    endWait();
    expect(await waiting).toBe('waited');
    await expect.poll(() => leases.held.size).toBe(0);
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
