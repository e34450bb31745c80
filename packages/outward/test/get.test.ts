// Requests over real sockets. What GET shares with POST (addresses, rebinding, redirects, time) is tested in post.test.ts.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGet, type GetOptions, OutwardError, type OutwardReason } from '@berth/outward';
import { afterEach, expect, test } from 'vitest';

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const loopback: GetOptions = { allowedRanges: ['127.0.0.0/8'] };

async function reasonOf(promise: Promise<unknown>): Promise<OutwardReason | 'answered' | 'other'> {
  try {
    await promise;
    return 'answered';
  } catch (error) {
    return error instanceof OutwardError ? error.reason : 'other';
  }
}

test('a request arrives without a body and with its headers, and status and body of the answer come back', async () => {
  const seen: unknown[] = [];
  const url = await serve(async (incoming, answer) => {
    const { method, headers } = incoming;
    const body = (await incoming.toArray()).join('');
    seen.push([method, incoming.url, headers['x-mine'], headers['accept-encoding'], headers['content-length'], body]);
    answer.writeHead(418).end('{"a":"ü"}');
  });
  const got = await createGet(loopback)(`${url}/list?page=1`, { 'x-mine': 'yes' });
  expect(got).toEqual({ status: 418, body: '{"a":"ü"}' });
  expect(seen).toEqual([['GET', '/list?page=1', 'yes', 'identity', undefined, '']]);
});

test('a character that two chunks share is whole', async () => {
  const text = Buffer.from('ü');
  const url = await serve((_incoming, answer) => {
    answer.write(text.subarray(0, 1), () => answer.end(text.subarray(1)));
  });
  expect((await createGet(loopback)(url, {})).body).toBe('ü');
});

test('an address that is closed gets no request', async () => {
  let requests = 0;
  const url = await serve((_incoming, answer) => {
    requests += 1;
    answer.end();
  });
  expect(await reasonOf(createGet()(url, {}))).toBe('address');
  expect(requests).toBe(0);
});

test('a redirect is an answer and is not followed', async () => {
  const paths: (string | undefined)[] = [];
  const url = await serve((incoming, answer) => {
    paths.push(incoming.url);
    answer.writeHead(302, { location: '/other' }).end();
  });
  expect(await createGet(loopback)(`${url}/first`, {})).toEqual({ status: 302, body: '' });
  expect(paths).toEqual(['/first']);
});

test('an answer is read up to the limit, and a larger one is an error', async () => {
  const url = await serve((incoming, answer) => answer.end('x'.repeat(Number(incoming.url?.slice(1)))));
  const get = createGet({ ...loopback, maxAnswerBytes: 1_000 });
  expect((await get(`${url}/1000`, {})).body).toHaveLength(1_000);
  expect(await reasonOf(get(`${url}/1001`, {}))).toBe('answer');
});

test('a body that breaks off is a failed connection, and one that never ends is given up in time', async () => {
  const broken = await serve((_incoming, answer) => {
    answer.writeHead(200, { 'content-length': '10' }).write('half', () => answer.destroy());
  });
  expect(await reasonOf(createGet(loopback)(broken, {}))).toBe('connection');
  const endless = await serve((_incoming, answer) => void answer.writeHead(200).write('slow'));
  expect(await reasonOf(createGet({ ...loopback, timeoutMs: 200 })(endless, {}))).toBe('timeout');
});

test('a header that would hold two lines is never sent', async () => {
  const url = await serve((_incoming, answer) => answer.end());
  expect(await reasonOf(createGet(loopback)(url, { authorization: 'a\r\nx-injected: 1' }))).toBe('connection');
});
