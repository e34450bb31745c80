import { once } from 'node:events';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract';
import { afterEach, expect, test } from 'vitest';
import { directConnector, type FrontOptions, logger, startFront, startUpstream } from '../../test/proxy-fixture.ts';
import { type Call, createGatewayServer } from './gateway-server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options?: FrontOptions) {
  const seen: string[] = [];
  const slow = Promise.withResolvers<void>();
  const upstream = await startUpstream(async (request, response) => {
    const body = await text(request).catch(() => 'broken');
    seen.push(`${request.method} ${request.url} ${body}`);
    if (request.url?.startsWith('/slow')) await slow.promise;
    response.end(request.url?.startsWith('/slow') ? 'slow' : 'ok');
  });
  const front = await startFront(directConnector(upstream.port), options);
  closing.push(
    () => upstream.server.close(),
    () => upstream.server.closeAllConnections(),
    () => front.close(),
  );
  return { upstream, front, seen, endSlow: slow.resolve };
}

/** Returns all received bytes, until the other side closes or stays quiet for a moment after `answers` responses. */
async function exchange(port: number, bytes: string, answers = 1): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.setTimeout(15_000, () => socket.destroy());
  socket.write(bytes, 'latin1');
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
    if ((got.match(/HTTP\/1\.1 /g) ?? []).length >= answers) socket.setTimeout(400);
  });
  await once(socket, 'close');
  return got;
}

const inner = 'GET /inner HTTP/1.1\r\nHost: h\r\n\r\n';
const post = (headers: string, body: string) => `POST /outer HTTP/1.1\r\nHost: h\r\n${headers}\r\n${body}`;
const chunked = (data: string) => `${data.length.toString(16)}\r\n${data}\r\n0\r\n\r\n`;

const refused: Record<string, string> = {
  'length and chunks': post(`Content-Length: 6\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${inner}`),
  'chunks and length': post(`Transfer-Encoding: chunked\r\nContent-Length: ${inner.length}\r\n`, `0\r\n\r\n${inner}`),
  'two lengths': post(`Content-Length: 0\r\nContent-Length: ${inner.length}\r\n`, inner),
  'two equal lengths': post(`Content-Length: 2\r\nContent-Length: 2\r\n`, `hi${inner}`),
  'a list of lengths': post(`Content-Length: 0, ${inner.length}\r\n`, inner),
  'a signed length': post('Content-Length: +0\r\n', inner),
  'a hexadecimal length': post('Content-Length: 0x0\r\n', inner),
  'a negative length': post('Content-Length: -1\r\n', inner),
  'chunks, then another encoding': post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${inner}`),
  'an unknown encoding': post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${inner}`),
  'an encoding before chunks': post('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${inner}`),
  'two encodings': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', `0\r\n\r\n${inner}`),
  'chunks said twice': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${inner}`),
  'an encoding in quotes': post('Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${inner}`),
  'an encoding after a vertical tab': post('Transfer-Encoding: \x0bchunked\r\n', `0\r\n\r\n${inner}`),
  'a space before the colon': post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${inner}`),
  'a folded header': post('X-A: 1\r\n Transfer-Encoding: chunked\r\n', `0\r\n\r\n${inner}`),
  'a folded encoding': post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${inner}`),
  'a header without a colon': post('X-A\r\n', inner),
  'a bare line feed in the head': `POST /outer HTTP/1.1\nHost: h\nContent-Length: 0\n\n${inner}`,
  'a bare carriage return in a header': post('X-A: 1\rTransfer-Encoding: chunked\r\n', `0\r\n\r\n${inner}`),
  'a zero byte in a header': post('X-A: 1\x002\r\n', inner),
  'no host': 'GET /outer HTTP/1.1\r\n\r\n',
  'no host for another protocol': 'GET /outer HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'a tunnel to somewhere else': `CONNECT elsewhere:443 HTTP/1.1\r\nHost: h\r\n\r\n${inner}`,
  'a version nobody speaks': `GET /outer HTTP/1.9\r\nHost: h\r\n\r\n${inner}`,
  'a space in the target': `GET /outer HTTP/1.1 x HTTP/1.1\r\nHost: h\r\n\r\n${inner}`,
};

test.each(Object.entries(refused))('%s: refused, and nothing reaches the workload', async (_, bytes) => {
  const { front, seen } = await start();
  const answer = await exchange(front.port, bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\nX-Refused: yes\r\n.*refused 400$/s);
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(seen).toEqual([]);
});

const harmless: Record<string, [bytes: string, seen: string[]]> = {
  'a request inside a body of known length': [
    post(`Content-Length: ${inner.length}\r\n`, inner),
    [`POST /outer ${inner}`],
  ],
  'a request inside chunks': [post('Transfer-Encoding: chunked\r\n', chunked(inner)), [`POST /outer ${inner}`]],
  'a request inside a GET with a body': [
    `GET /outer HTTP/1.1\r\nHost: h\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    [`GET /outer ${inner}`],
  ],
  'chunks in capitals': [post('Transfer-Encoding: CHUNKED\r\n', chunked('hi')), ['POST /outer hi']],
  'an extension of a chunk': [post('Transfer-Encoding: chunked\r\n', '2;a=b\r\nhi\r\n0\r\n\r\n'), ['POST /outer hi']],
  'two honest requests on one connection': [
    `${post('Content-Length: 2\r\n', 'hi')}${inner}`,
    ['POST /outer hi', 'GET /inner '],
  ],
};

test.each(Object.entries(harmless))('%s: the workload sees what the gateway saw', async (_, [bytes, expected]) => {
  const { front, seen } = await start();
  await exchange(front.port, bytes, expected.length);
  expect(seen).toEqual(expected);
});

const broken: Record<string, string> = {
  'a bare line feed after a chunk length': '2\nhi\r\n0\r\n\r\n',
  'a chunk longer than it says': '2\r\nhiXX0\r\n\r\n',
  'a chunk length that overflows': `fffffffffffffffff\r\nhi\r\n0\r\n\r\n`,
  'a chunk length with a sign': '+2\r\nhi\r\n0\r\n\r\n',
  'a line feed within an extension': `2;a\nhi\r\n0\r\n\r\n`,
};

test.each(Object.entries(broken))('%s: never a second request', async (_, body) => {
  const { front, seen } = await start();
  await exchange(front.port, post('Transfer-Encoding: chunked\r\n', body + inner));
  await expect.poll(() => seen.filter((line) => !line.endsWith('broken'))).toEqual([]);
});

test("headers over the limit are answered with the platform's 431", async () => {
  const { front, seen } = await start();
  const answer = await exchange(front.port, `GET / HTTP/1.1\r\nHost: h\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 431 .*X-Refused: yes\r\n.*refused 431$/s);
  expect(seen).toEqual([]);
});

test('a request head that never ends is answered with 408', async () => {
  const { front } = await start({ server: { headersTimeoutMs: 100 } });
  expect(await exchange(front.port, 'GET / HTTP/1.1\r\nHost: h\r\n')).toMatch(/^HTTP\/1\.1 408 /);
});

test('during a stop, open requests finish, idle connections close, and no connection is accepted', async () => {
  const { front, seen, endSlow } = await start();
  const agent = new Agent({ keepAlive: true });
  closing.push(() => agent.destroy());
  const outgoing = send(`${front.url}/slow`, { agent }).end();
  const answered = once(outgoing, 'response');
  const idle = connect(front.port, '127.0.0.1');
  await once(idle, 'connect');
  await expect.poll(() => seen).toEqual(['GET /slow ']);
  const stopped = front.gateway.stop(30_000);
  endSlow();
  const [answer]: IncomingMessage[] = await answered;
  expect([answer?.statusCode, answer?.headers.connection]).toEqual([200, 'close']);
  if (answer !== undefined) expect(await text(answer)).toBe('slow');
  await stopped;
  await expect(once(connect(front.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
});

test('a stream that began before the stop finishes, and the stop does not wait for its keep-alive connection', async () => {
  const gateway = await serving(({ response }) => {
    response.write('begun ');
    setTimeout(() => response.end('and done'), 300);
  });
  const agent = new Agent({ keepAlive: true });
  closing.push(() => agent.destroy());
  const [answer]: IncomingMessage[] = await once(
    send(`http://127.0.0.1:${gateway.port}/`, { agent }).end(),
    'response',
  );
  // The deadline is longer than the test's timeout.
  const stopped = gateway.stop(3_600_000);
  if (answer !== undefined) expect(await text(answer)).toBe('begun and done');
  await stopped;
});

test('a stop does not cut a response that its client has not read yet', async () => {
  const bytes = 64 * bytesPerMb;
  const gateway = await serving(({ response }) => response.end(Buffer.alloc(bytes)));
  const outgoing = send(`http://127.0.0.1:${gateway.port}/`).end();
  const [answer]: IncomingMessage[] = await once(outgoing, 'response');
  const stopped = gateway.stop(60_000);
  await sleep(100);
  let read = 0;
  for await (const chunk of answer ?? []) read += chunk.length;
  expect(read).toBe(bytes);
  await stopped;
});

async function serving(answer: (call: Call) => void) {
  const gateway = createGatewayServer({
    ...{ maxHeaderBytes: 16_384, headersTimeoutMs: 5_000, keepAliveMs: 60_000, logger },
    refusal: () => ({ headers: [], body: '' }),
    handle: async (call) => answer(call),
  });
  const { port } = await gateway.listen(0, '127.0.0.1');
  closing.push(() => gateway.stop(0));
  return { ...gateway, port };
}

test('a stop does not wait beyond its deadline', async () => {
  const { front, seen } = await start();
  const outgoing = send(`${front.url}/slow`).end();
  const failed = once(outgoing, 'response');
  await expect.poll(() => seen).toEqual(['GET /slow ']);
  await front.gateway.stop(50);
  await expect(failed).rejects.toThrow();
});
