import { once } from 'node:events';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { bytesPerMb } from '@berth/contract';
import { NotDispatched, RunnerAway } from '@berth/wire';
import { afterEach, expect, test, vi } from 'vitest';
import {
  directConnector,
  type Front,
  type FrontOptions,
  listening,
  startFront,
  startUpstream,
} from '../../test/proxy-fixture.ts';
import type { Timeouts } from '../workloads/workload-kind.ts';
import type { Connector } from './connector.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function upstreamOf(handler: Parameters<typeof startUpstream>[0]) {
  const upstream = await startUpstream(handler);
  closing.push(
    () => upstream.server.closeAllConnections(),
    () => upstream.server.close(),
  );
  return upstream;
}

async function frontOf(connector: Connector, options?: FrontOptions): Promise<Front> {
  const front = await startFront(connector, options);
  closing.push(() => front.close());
  return front;
}

/** Sends raw bytes and returns all bytes received until the other side closes. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  socket.setEncoding('latin1');
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk;
  });
  await once(socket, 'close');
  return got;
}

const answerOf = (outgoing: ReturnType<typeof send>) =>
  new Promise<IncomingMessage>((resolve, reject) => outgoing.on('response', resolve).on('error', reject));

test('path, header order, case and duplicates reach the workload unchanged', async () => {
  const upstream = await upstreamOf((request, response) =>
    response.end(JSON.stringify([request.url, request.rawHeaders])),
  );
  const front = await frontOf(directConnector(upstream.port));
  const answer = await raw(
    front.port,
    'GET //a%2Fb/../c//?x=%20&y=[1] HTTP/1.1\r\nHost: h\r\nX-B: 1\r\nx-A: 2\r\nX-B: 3\r\nX-Hop: no\r\nConnection: close, x-hop\r\n\r\n',
  );
  const [url, headers] = JSON.parse(answer.slice(answer.indexOf('[')).replace(/\r\n.*$/s, ''));
  expect(url).toBe('//a%2Fb/../c//?x=%20&y=[1]');
  expect(headers).toEqual(['host', 'h', 'connection', 'keep-alive', 'X-B', '1', 'x-A', '2', 'X-B', '3']);
});

test("the workload's headers come back in order, without hop-by-hop headers", async () => {
  const upstream = await upstreamOf((_, response) => {
    response.sendDate = false;
    response.writeHead(418, 'Short and stout', [
      ...['Set-Cookie', 'a=1', 'X-Two', 'two', 'Set-Cookie', 'b=2', 'Connection', 'keep-alive, x-own', 'X-Own', '1'],
      ...['Content-Length', '2'],
    ]);
    response.end('hi');
  });
  const front = await frontOf(directConnector(upstream.port), {
    onResponseHead: (status, headers) => [...headers, 'X-Seen', String(status)],
  });
  const answer = await answerOf(send(front.url).end());
  expect([answer.statusCode, answer.statusMessage, await text(answer)]).toEqual([418, 'Short and stout', 'hi']);
  expect(answer.rawHeaders.slice(0, 10)).toEqual([
    'Set-Cookie',
    'a=1',
    'X-Two',
    'two',
    'Set-Cookie',
    'b=2',
    'Content-Length',
    '2',
    'X-Seen',
    '418',
  ]);
  expect(answer.headers['x-own']).toBeUndefined();
  expect(front.outcomes[0]).toMatchObject({ status: 418, bytesIn: 0, bytesOut: 2, dispatchState: 'answered' });
});

test('bytes above ASCII in headers stay the same, with and without a body', async () => {
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      const body = chunk.includes('/late') ? '' : 'hi';
      socket.write(
        `HTTP/1.1 200 OK\r\nX-Back: ${/x-there: (.*)/i.exec(chunk.toString('latin1'))?.[1]}\r\n\r\n${body}`,
        'latin1',
      );
      setTimeout(() => socket.end(), 50);
    });
  });
  closing.push(() => server.close());
  const front = await frontOf(directConnector(await listening(server)));
  for (const path of ['/', '/late'])
    expect(await raw(front.port, `GET ${path} HTTP/1.0\r\nHost: h\r\nX-There: \xe9\xff\r\n\r\n`)).toContain(
      'X-Back: \xe9\xff\r',
    );
});

test('responses without a body stay without one', async () => {
  const upstream = await upstreamOf((request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '5' }).end();
    else response.writeHead(Number(request.url?.slice(1)), { etag: 'e' }).end();
  });
  const front = await frontOf(directConnector(upstream.port));
  const head = await answerOf(send(`${front.url}/`, { method: 'HEAD' }).end());
  expect([head.statusCode, head.headers['content-length'], await text(head)]).toEqual([200, '5', '']);
  for (const status of [204, 304]) {
    const answer = await answerOf(send(`${front.url}/${status}`).end());
    expect([answer.statusCode, answer.headers.etag, await text(answer)]).toEqual([status, 'e', '']);
    expect(answer.headers['transfer-encoding']).toBeUndefined();
  }
});

test('early hints are dropped and trailers are passed', async () => {
  const upstream = await upstreamOf((_, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.writeHead(200, { trailer: 'X-Sum' });
    response.write('body');
    response.addTrailers({ 'X-Sum': '42' });
    response.end();
  });
  const front = await frontOf(directConnector(upstream.port));
  const outgoing = send(front.url).end();
  const hints = vi.fn();
  outgoing.on('information', hints);
  const answer = await answerOf(outgoing);
  expect(await text(answer)).toBe('body');
  expect(answer.trailers).toEqual({ 'x-sum': '42' });
  expect(hints).not.toHaveBeenCalled();
});

test('the head and the first event of a stream pass at once', async () => {
  const steps: (() => void)[] = [];
  const upstream = await upstreamOf((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    steps.push(
      () => response.write('data: 1\n\n'),
      () => response.end(),
    );
  });
  const front = await frontOf(directConnector(upstream.port));
  const answer = await answerOf(send(front.url).end());
  expect(answer.headers['content-type']).toBe('text/event-stream');
  steps[0]?.();
  const [chunk] = await once(answer, 'data');
  expect(String(chunk)).toBe('data: 1\n\n');
  steps[1]?.();
  await once(answer, 'end');
});

test('a chunked upload arrives chunk by chunk, and no body is sent before the workload wants it', async () => {
  const upstream = await upstreamOf((request, response) => {
    request.once('data', (chunk) => response.write(`saw ${chunk};`));
    request.on('end', () => response.end('end'));
  });
  const front = await frontOf(directConnector(upstream.port));
  const outgoing = send(front.url, { method: 'POST', headers: { expect: '100-continue' } });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.write('one');
  const answer = await answerOf(outgoing);
  const [first] = await once(answer, 'data');
  expect(String(first)).toBe('saw one;');
  outgoing.end('two');
  expect(await text(answer)).toBe('end');
  await expect.poll(() => front.outcomes[0]?.bytesIn).toBe(6);
});

test('connections to clients and to the workload are kept open', async () => {
  const upstream = await upstreamOf((request, response) => request.pipe(response));
  const front = await frontOf(directConnector(upstream.port));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  closing.push(() => agent.destroy());
  const ports = new Set<number | undefined>();
  for (const body of ['', 'a', 'bb', '']) {
    const outgoing = send(front.url, { agent, method: 'POST' }).end(body);
    outgoing.on('socket', (socket) => socket.once('connect', () => ports.add(socket.localPort)));
    expect(await text(await answerOf(outgoing))).toBe(body);
  }
  expect(ports.size).toBe(1);
  expect(upstream.accepted()).toBe(1);
  front.forwarder.forget(front.endpoint.instance);
  await expect.poll(() => upstream.sockets.size).toBe(0);
});

test('a client that leaves ends the request at the workload, before and within the response', async () => {
  let closed = 0;
  const upstream = await upstreamOf((request, response) => {
    if (request.url === '/within') response.write('x');
    response.on('close', () => {
      closed += 1;
    });
  });
  const front = await frontOf(directConnector(upstream.port));
  const silent = send(`${front.url}/before`).on('error', () => {});
  silent.end();
  await expect.poll(() => upstream.sockets.size).toBe(1);
  silent.destroy();
  await expect.poll(() => [closed, upstream.sockets.size]).toEqual([1, 0]);
  const outgoing = send(`${front.url}/within`).end();
  const answer = await answerOf(outgoing);
  answer.on('error', () => {});
  outgoing.destroy();
  await expect.poll(() => [closed, upstream.sockets.size]).toEqual([2, 0]);
  expect(front.outcomes.map(({ error, dispatchState }) => [error?.code, dispatchState])).toEqual([
    ['client_gone', 'dispatched'],
    ['client_gone', 'answered'],
  ]);
});

test('a response that breaks in its first packet has begun for the client', async () => {
  // Without a byte of the response, the client would assume that the request never ran, and send it again.
  const broken = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\nnot a length\r\n';
  const server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.write(broken)));
  closing.push(() => server.close());
  const front = await frontOf(directConnector(await listening(server)));
  const got = await raw(front.port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n');
  expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*first/);
  expect(got).not.toMatch(/\r\n0\r\n/);
  expect(front.outcomes[0]?.error?.code).toBe('cut');
});

test.each([{}, { 'content-length': '100' }])(
  'an answer that is cut is cut for the client too (%j)',
  async (headers) => {
    const upstream = await upstreamOf((request, response) => {
      response.writeHead(200, headers).write('part');
      setTimeout(() => request.socket.resetAndDestroy(), 50);
    });
    const front = await frontOf(directConnector(upstream.port));
    const answer = await answerOf(send(front.url).end());
    await expect(text(answer)).rejects.toThrow('aborted');
    await expect.poll(() => front.outcomes[0]?.error?.code).toBe('cut');
  },
);

/** Server that resets its first connection on the second request. */
async function forgetfulServer(): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  let isFirst = true;
  const server = createServer((socket) => {
    const isReset = isFirst;
    isFirst = false;
    let requests = 0;
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        requests += 1;
        seen.push(String(chunk).split(' ')[0] ?? '');
        if (isReset && requests === 2) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
  });
  const port = await listening(server);
  closing.push(() => server.close());
  return { port, seen };
}

test('a request on a kept connection that is reset before its response is retried once when that is safe', async () => {
  const server = await forgetfulServer();
  const front = await frontOf(directConnector(server.port));
  expect(await text(await answerOf(send(front.url).end()))).toBe('ok');
  expect(await text(await answerOf(send(front.url).end()))).toBe('ok');
  expect(server.seen).toEqual(['GET', 'GET', 'GET']);
});

test.each(['', 'body'])('a POST that may have been seen is not sent again (body %j)', async (body) => {
  const server = await forgetfulServer();
  const front = await frontOf(directConnector(server.port));
  expect(await text(await answerOf(send(front.url).end()))).toBe('ok');
  const answer = await answerOf(send(front.url, { method: 'POST' }).end(body));
  expect([answer.statusCode, answer.headers['x-state'], await text(answer)]).toEqual([599, 'dispatched', 'reset']);
  expect(server.seen).toEqual(['GET', 'POST']);
});

test('a failed connection is retried once; a refused one is not', async () => {
  const upstream = await upstreamOf((request, response) => request.pipe(response));
  const direct = directConnector(upstream.port);
  let calls = 0;
  let reason: NotDispatched['reason'] = 'unreachable';
  const front = await frontOf({
    ...direct,
    connect: (endpoint) => {
      calls += 1;
      return calls === 1 ? Promise.reject(new NotDispatched(reason, 'not there')) : direct.connect(endpoint);
    },
  });
  expect(await text(await answerOf(send(front.url, { method: 'POST' }).end('x')))).toBe('x');
  expect(calls).toBe(2);
  front.forwarder.forget(front.endpoint.instance);
  calls = 0;
  reason = 'unknown';
  const answer = await answerOf(send(front.url, { method: 'POST' }).end('x'));
  expect([answer.statusCode, answer.headers['x-state'], await text(answer)]).toEqual([
    599,
    'not_dispatched',
    'unreachable',
  ]);
  expect(calls).toBe(1);
});

test('a connection that breaks before anything is sent on it fails no request', async () => {
  const upstream = await upstreamOf((request, response) => void request.pipe(response));
  const direct = directConnector(upstream.port);
  const kept: Duplex[] = [];
  let isBreaking = false;
  const front = await frontOf(
    {
      ...direct,
      async connect(...args) {
        const socket = await direct.connect(...args);
        kept.push(socket);
        return socket;
      },
    },
    {
      beforeForward() {
        if (!isBreaking) return;
        isBreaking = false;
        for (const socket of kept) socket.destroy(Object.assign(new Error('broke'), { code: 'ECONNRESET' }));
      },
    },
  );
  for (const method of ['GET', 'POST']) {
    await fetch(front.url);
    isBreaking = true;
    const answer = await answerOf(send(front.url, { method }).end(method === 'GET' ? '' : 'x'));
    expect([method, answer.statusCode, await text(answer)]).toEqual([method, 200, method === 'GET' ? '' : 'x']);
  }
});

test('a connection over its maximum age takes no new request', async () => {
  const upstream = await upstreamOf((_, response) => response.end());
  const front = await frontOf(directConnector(upstream.port), { forwarder: { pool: { maxAgeMs: 60_000 } } });
  for (let round = 0; round < 3; round += 1) await fetch(front.url);
  expect(upstream.accepted()).toBe(1);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_001);
  closing.push(() => vi.restoreAllMocks());
  await fetch(front.url);
  expect(upstream.accepted()).toBe(2);
  await expect.poll(() => upstream.sockets.size).toBe(1);
});

test('when a runner takes no more connections, idle ones close at once and the others after their request', async () => {
  const slow = Promise.withResolvers<void>();
  const upstream = await upstreamOf((request, response) => {
    if (request.url === '/slow') slow.promise.then(() => response.end('slow'));
    else response.end();
  });
  let isStopping = false;
  const direct = directConnector(upstream.port);
  const front = await frontOf({
    ...direct,
    connect: (...args) => (isStopping ? Promise.reject(new RunnerAway({})) : direct.connect(...args)),
  });
  const underWay = Array.from({ length: 2 }, () => fetch(`${front.url}/slow`));
  await expect.poll(() => upstream.sockets.size).toBe(2);
  await fetch(front.url);
  expect(upstream.sockets.size).toBe(3);
  isStopping = true;
  const answers = await Promise.all(Array.from({ length: 2 }, () => fetch(front.url)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 599]);
  await expect.poll(() => upstream.sockets.size).toBe(2);
  slow.resolve();
  for (const answer of await Promise.all(underWay)) expect(await answer.text()).toBe('slow');
  await expect.poll(() => upstream.sockets.size).toBe(0);
});

test('silence and total time are limited, before the response and within it', async () => {
  const upstream = await upstreamOf((request, response) => {
    if (request.url === '/cut') response.write('x');
    const timer = request.url === '/moving' ? setInterval(() => response.write('x'), 20) : undefined;
    response.on('close', () => clearInterval(timer));
  });
  // The other limit is longer than the test's timeout.
  const frontWith = (timeouts: Timeouts) =>
    frontOf(directConnector(upstream.port), {
      forwarder: { timeouts: { agent: timeouts, function: timeouts, sandbox: timeouts } },
    });
  const impatient = await frontWith({ totalMs: 3_600_000, silentMs: 200 });
  const silent = await answerOf(send(`${impatient.url}/silent`).end());
  expect([silent.statusCode, await text(silent)]).toEqual([599, 'timed_out']);
  const brief = await frontWith({ totalMs: 600, silentMs: 3_600_000 });
  const late = await answerOf(send(`${brief.url}/silent`).end());
  expect([late.statusCode, await text(late)]).toEqual([599, 'timed_out']);
  for (const url of [`${impatient.url}/cut`, `${brief.url}/moving`])
    await expect(answerOf(send(url).end()).then(text)).rejects.toThrow(/aborted|socket hang up/);
  for (const { outcomes } of [impatient, brief])
    await expect.poll(() => outcomes.map(({ error }) => error?.code)).toEqual(['timed_out', 'timed_out']);
  expect(brief.outcomes[1]?.durationMs).toBeGreaterThan(590);
  await expect.poll(() => upstream.sockets.size).toBe(0);
});

test('a client that stops within its body is the late side; a workload that stops reading times out', async () => {
  const upstream = await upstreamOf((request) => {
    if (request.url === '/reading') request.resume();
  });
  const timeouts = { totalMs: 3_600_000, silentMs: 200 };
  const front = await frontOf(directConnector(upstream.port), {
    forwarder: { timeouts: { agent: timeouts, function: timeouts, sandbox: timeouts }, lingerMs: 100 },
  });
  const begun = send(`${front.url}/reading`, { method: 'POST' });
  begun.write('the first of it');
  const late = await answerOf(begun);
  expect(await text(late)).toBe('client_late');
  begun.destroy();

  // Longer than this process may need to fill the buffers on the way: until they are full, the client is the late side.
  const patient = { totalMs: 3_600_000, silentMs: 3_000 };
  const full = await frontOf(directConnector(upstream.port), {
    forwarder: { timeouts: { agent: patient, function: patient, sandbox: patient }, lingerMs: 100 },
  });
  const flood = send(`${full.url}/not-reading`, { method: 'POST' });
  flood.write(Buffer.alloc(64 * bytesPerMb));
  expect(await text(await answerOf(flood))).toBe('timed_out');
  flood.on('error', () => {}).destroy();
});

test('a JSON body over its limit is refused, declared or not, and other bodies are not', async () => {
  const upstream = await upstreamOf((request, response) => {
    request.resume().on('end', () => response.end('ok'));
  });
  const front = await frontOf(directConnector(upstream.port), { forwarder: { limits: { jsonBytes: 1000 } } });
  const post = (headers: Record<string, string>) => {
    const outgoing = send(front.url, { method: 'POST', headers });
    outgoing.on('error', () => {}).end('x'.repeat(1001));
    return answerOf(outgoing);
  };
  const declared = await post({ 'content-type': 'application/json', 'content-length': '1001' });
  expect([declared.headers['x-state'], await text(declared)]).toEqual(['not_dispatched', 'too_large']);
  const counted = await post({ 'content-type': 'application/ld+json; charset=utf-8', 'transfer-encoding': 'chunked' });
  expect(await text(counted)).toBe('too_large');
  expect(await text(await post({ 'content-type': 'text/plain' }))).toBe('ok');
});

test('a response before the end of the upload is delivered', async () => {
  const upstream = await upstreamOf((request, response) => {
    request.once('data', () => response.writeHead(403).end('no'));
  });
  const front = await frontOf(directConnector(upstream.port), { forwarder: { lingerMs: 300 } });
  const outgoing = send(front.url, { method: 'POST' });
  outgoing.on('error', () => {});
  outgoing.write('start');
  const answer = await answerOf(outgoing);
  expect([answer.statusCode, await text(answer)]).toEqual([403, 'no']);
  // The gateway closes the connection, because nothing will read the rest of the upload.
  await expect.poll(() => outgoing.socket?.destroyed ?? true).toBe(true);
});
