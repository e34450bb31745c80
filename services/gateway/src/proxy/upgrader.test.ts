import { once } from 'node:events';
import { request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { bytesPerMb } from '@berth/contract';
import { afterEach, expect, test } from 'vitest';
import { directConnector, type FrontOptions, startFront, startUpstream } from '../../test/proxy-fixture.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(onUpgrade: (socket: Socket, url: string, head: Buffer) => void, options?: FrontOptions) {
  const heads: string[][] = [];
  const upstream = await startUpstream((request, response) => {
    heads.push(request.rawHeaders);
    response.writeHead(200).end(`plain ${request.url}`);
  });
  upstream.server.on('upgrade', (request, socket: Socket, head) => {
    heads.push(request.rawHeaders);
    socket.on('error', () => {});
    onUpgrade(socket, request.url ?? '', head);
  });
  const front = await startFront(directConnector(upstream.port), options);
  closing.push(
    () => upstream.server.close(),
    () => {
      for (const socket of upstream.sockets) socket.destroy();
    },
    () => front.close(),
  );
  return { upstream, front, heads };
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\nX-W: 1\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n';
const echo = (socket: Socket) => {
  socket.write(switching);
  socket.pipe(socket);
};

async function ask(port: number, extra = '', ahead = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closing.push(() => socket.destroy());
  socket.write(
    `GET /ws//a%2Fb HTTP/1.1\r\nHost: h\r\nX-B: 1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: echo\r\n${extra}\r\n${ahead}`,
  );
  return socket;
}

async function readUntil(socket: Socket, end: string): Promise<string> {
  let got = '';
  while (!got.includes(end)) got += String((await once(socket, 'data'))[0]);
  return got;
}

test('bytes pass both ways, including those sent before the response, and the end passes too', async () => {
  const { front, heads, upstream } = await start(echo);
  const socket = await ask(front.port, '', 'early;');
  expect(await readUntil(socket, 'early;')).toMatch(
    /^HTTP\/1\.1 101 Switching Protocols\r\nX-W: 1\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearly;$/,
  );
  expect(heads[0]).toEqual(['Host', 'h', 'X-B', '1', 'Connection', 'Upgrade', 'Upgrade', 'echo']);
  socket.write('later;');
  expect(await readUntil(socket, 'later;')).toBe('later;');
  socket.end();
  await once(socket, 'close');
  await expect.poll(() => front.outcomes[0]).toMatchObject({ status: 101, bytesIn: 12, bytesOut: 12 });
  expect(front.outcomes[0]?.error).toBeUndefined();
  expect(upstream.sockets.size).toBe(0);
});

test('a WebSocket client opens, uses and closes a connection through the gateway', async () => {
  const { createHash } = await import('node:crypto');
  const { upstream, front } = await start(() => {});
  upstream.server.removeAllListeners('upgrade').on('upgrade', (request, socket: Socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const head = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${head}`);
    socket
      .on('error', () => {})
      .on('data', (frame: Buffer) => {
        socket.write(unmasked(frame));
        const isGoodbye = ((frame[0] ?? 0) & 0x0f) === 8;
        if (isGoodbye) socket.end();
      });
  });
  const client = new WebSocket(`ws://127.0.0.1:${front.port}/chat`);
  await new Promise((resolve) => client.addEventListener('open', resolve));
  const heard = new Promise((resolve) => client.addEventListener('message', ({ data }) => resolve(data)));
  client.send('hello');
  expect(await heard).toBe('hello');
  const closed = new Promise<CloseEvent>((resolve) => client.addEventListener('close', resolve));
  client.close(1000, 'bye');
  expect(await closed).toMatchObject({ code: 1000, reason: 'bye', wasClean: true });
});

/** Unmasks a small client frame, as the server would send it back. */
function unmasked(frame: Buffer): Buffer {
  const length = (frame[1] ?? 0) & 0x7f;
  const payload = frame.subarray(6, 6 + length).map((byte, at) => byte ^ (frame[2 + (at % 4)] ?? 0));
  return Buffer.concat([Buffer.from([frame[0] ?? 0, length]), payload]);
}

test('an upgrade that the workload refuses gets its ordinary response', async () => {
  const { front, upstream } = await start(() => {});
  upstream.server.removeAllListeners('upgrade');
  const socket = await ask(front.port, '', 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain('plain /ws//a%2Fb');
  expect(answer).not.toContain('smuggled');
  expect(upstream.accepted()).toBe(1);
});

test('offers of HTTP/2 and upgrades with a body are ordinary requests', async () => {
  const { front } = await start(echo);
  for (const [method, headers] of [
    ['GET', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'x' }],
    ['POST', { connection: 'Upgrade', upgrade: 'echo', 'content-length': '2' }],
  ] as const) {
    const outgoing = send(`${front.url}/p`, { method, headers });
    outgoing.end(method === 'POST' ? 'hi' : undefined);
    const [answer] = await once(outgoing, 'response');
    expect([answer.statusCode, await text(answer)]).toEqual([200, 'plain /p']);
  }
});

test.each(['client', 'workload'])('when the %s resets, the other side is closed', async (side) => {
  const sockets: Socket[] = [];
  const { front, upstream } = await start((socket) => {
    sockets.push(socket);
    echo(socket);
  });
  const socket = await ask(front.port);
  await readUntil(socket, '\r\n\r\n');
  const closed = once(socket, 'close');
  (side === 'client' ? socket : sockets[0])?.resetAndDestroy();
  await closed;
  await expect.poll(() => upstream.sockets.size).toBe(0);
  await expect.poll(() => front.outcomes).toHaveLength(1);
});

test('a silent connection ends, and an unreachable instance is reported to the caller', async () => {
  const timeouts = { totalMs: undefined, silentMs: 5_000 };
  const { front, upstream } = await start(echo, {
    forwarder: { timeouts: { agent: timeouts, function: timeouts, sandbox: timeouts } },
  });
  const socket = await ask(front.port);
  await readUntil(socket, '\r\n\r\n');
  await once(socket, 'close');
  await expect.poll(() => front.outcomes[0]?.error?.code).toBe('timed_out');
  upstream.server.close();
  const answer = await text(await ask(front.port));
  expect(answer).toMatch(/^HTTP\/1\.1 599 /);
  expect(answer).toContain('unreachable');
});

test('a workload that goes on after its client has ended may finish, and is closed once it falls silent', async () => {
  const { front } = await start(
    (socket) => {
      socket.write(switching);
      socket.once('end', async () => {
        for (let word = 1; word <= 6; word += 1) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          socket.write(`${word};`);
        }
        // The server never closes the connection.
      });
      socket.resume();
    },
    { upgrader: { halfClosedMs: 5_000 } },
  );
  const socket = connect({ port: front.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  closing.push(() => socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  await readUntil(socket, '\r\n\r\n');
  socket.end();
  const closed = once(socket, 'close');
  expect(await readUntil(socket, '6;')).toContain('6;');
  await closed;
  await expect.poll(() => front.outcomes).toHaveLength(1);
});

test('a reader that stops reading pauses the sender', async () => {
  let sent = 0;
  const { front } = await start((socket) => {
    socket.write(switching);
    const chunk = Buffer.alloc(64 * 1024);
    const push = () => {
      while (socket.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    socket.on('drain', push);
    push();
  });
  const socket = await ask(front.port);
  await once(socket, 'data');
  socket.pause();
  for (let before = -1; before !== sent; ) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 300));
    // Without back-pressure this would grow; the limit is what kernels and streams buffer between both sides.
    expect(sent).toBeLessThan(24 * bytesPerMb);
  }
});
