// Requests over real sockets. DNS is a stand-in: it belongs to others, and a test has to decide what it says.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createPost, OutwardError, type OutwardReason, type PostOptions } from '@berth/outward';
import { afterEach, expect, test } from 'vitest';

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<Server & { port: number }> {
  const server = createServer(listener).listen(port, host);
  servers.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  await once(server, 'listening');
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

const countIn =
  (calls: string[], name: string): RequestListener =>
  (_incoming, answer) => {
    calls.push(name);
    answer.end();
  };

const request = { headers: { 'content-type': 'application/json', 'x-mine': 'yes' }, body: '{"a":"ü"}' };
const loopback: PostOptions = { allowedRanges: ['127.0.0.0/8'] };

async function reasonOf(promise: Promise<unknown>): Promise<OutwardReason | 'answered' | 'other'> {
  try {
    await promise;
    return 'answered';
  } catch (error) {
    return error instanceof OutwardError ? error.reason : 'other';
  }
}

test('a request arrives as it was given, and the status of the answer comes back', async () => {
  const seen: unknown[] = [];
  const { port } = await serve(async (incoming, answer) => {
    const body = (await incoming.toArray()).join('');
    seen.push([incoming.method, incoming.url, incoming.headers['x-mine'], incoming.headers['content-length'], body]);
    answer.writeHead(202).end('fine');
  });
  expect(await createPost(loopback)(`http://127.0.0.1:${port}/hook?x=1`, request)).toBe(202);
  expect(seen).toEqual([['POST', '/hook?x=1', 'yes', '10', request.body]]);
});

// Every spelling leads to a server on this machine, which must not get a connection.
const spellings = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '017700000001',
  '0177.0.0.1',
  '127.000.000.001',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  'user:password@127.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  'localhost',
  'LOCALHOST.',
  'name.example',
];

test('no spelling of a closed address gets a connection', async () => {
  let connections = 0;
  const server = await serve((_incoming, answer) => answer.end(), '::');
  server.on('connection', () => {
    connections += 1;
  });
  const post = createPost({ resolve: async () => ['127.0.0.1', '::1', '::ffff:127.0.0.1'] });
  const reasons = await Promise.all(
    spellings.map((host) => reasonOf(post(`http://${host}:${server.port}/`, request)).then((reason) => [host, reason])),
  );
  expect(reasons).toEqual(spellings.map((host) => [host, 'address']));
  expect(connections).toBe(0);
});

test.each([
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'unix:/run/x.sock',
  '//127.0.0.1/',
  'nonsense',
  'http://',
  'http://[::1%25lo]/',
])('%s is refused', async (url) => {
  expect(await reasonOf(createPost(loopback)(url, request))).toBe('address');
});

test('a name that answers with an open address first and a closed one later never reaches the closed one', async () => {
  const calls: string[] = [];
  const open = await serve(countIn(calls, 'open'), '127.0.0.2');
  await serve(countIn(calls, 'closed'), '127.0.0.1', open.port);
  const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1'];
  let asked = 0;
  const post = createPost({
    allowedRanges: ['127.0.0.2'],
    resolve: async () => [answers[asked++] ?? ''],
  });
  const url = `http://rebind.example:${open.port}/`;
  expect(await post(url, request)).toBe(200);
  // One question for a request: a second one could have another answer than the one that was checked.
  expect(asked).toBe(1);
  expect(await reasonOf(post(url, request))).toBe('address');
  expect(calls).toEqual(['open']);
});

test('of a name with open and closed addresses only the open ones are connected to', async () => {
  const calls: string[] = [];
  const open = await serve(countIn(calls, 'open'), '127.0.0.2');
  await serve(countIn(calls, 'closed'), '127.0.0.1', open.port);
  const post = createPost({ allowedRanges: ['127.0.0.2'], resolve: async () => ['127.0.0.1', '127.0.0.2'] });
  expect(await post(`http://both.example:${open.port}/`, request)).toBe(200);
  expect(calls).toEqual(['open']);
});

test('a redirect is an answer and is not followed', async () => {
  const paths: (string | undefined)[] = [];
  const { port } = await serve((incoming, answer) => {
    paths.push(incoming.url);
    answer.writeHead(307, { location: '/other' }).end();
  });
  expect(await createPost(loopback)(`http://127.0.0.1:${port}/first`, request)).toBe(307);
  expect(paths).toEqual(['/first']);
});

test('an endless answer is read up to the limit, and its connection is closed', async () => {
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  const { port } = await serve((_incoming, answer) => {
    const write = (): void => {
      while (!answer.destroyed && answer.write(Buffer.alloc(16_384))) sent += 16_384;
    };
    answer.on('drain', write).on('close', () => closed.resolve());
    answer.writeHead(200);
    write();
  });
  expect(await createPost(loopback)(`http://127.0.0.1:${port}/`, request)).toBe(200);
  await closed.promise;
  // What the buffers of both sockets hold comes on top of the limit.
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

test('a receiver that never answers is given up in time', async () => {
  const { port } = await serve(() => {});
  const post = createPost({ ...loopback, timeoutMs: 100 });
  expect(await reasonOf(post(`http://127.0.0.1:${port}/`, request))).toBe('timeout');
});

test('a receiver whose headers never end is given up in time', async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    const drip = setInterval(() => socket.write('X-More: x\r\n'), 20);
    socket.on('close', () => clearInterval(drip));
    socket.write('HTTP/1.1 200 OK\r\n');
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const post = createPost({ ...loopback, timeoutMs: 200 });
  const { port } = server.address() as AddressInfo;
  expect(await reasonOf(post(`http://127.0.0.1:${port}/`, request))).toBe('timeout');
  for (const socket of sockets) socket.destroy();
});

test('a status counts although the body never ends', async () => {
  const { port } = await serve((_incoming, answer) => void answer.writeHead(205).write('slow'));
  const post = createPost({ ...loopback, timeoutMs: 200 });
  expect(await post(`http://127.0.0.1:${port}/`, request)).toBe(205);
});

test('a name that no server resolves is given up in time', async () => {
  const post = createPost({
    timeoutMs: 50,
    resolve: (_host, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  });
  expect(await reasonOf(post('http://silent.example/', request))).toBe('timeout');
});

test.each([
  ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ['speaks another protocol', '220 mail.example ESMTP\r\n'],
  ['says nothing', ''],
])('a receiver that %s and closes is a failed connection', async (_what, said) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(said));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await reasonOf(createPost(loopback)(`http://127.0.0.1:${port}/`, request))).toBe('connection');
});

test('a closed port is a failed connection, and the message does not tell the address behind a name', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const post = createPost({ ...loopback, resolve: async () => ['127.0.0.1'] });
  const failed = post(`http://name.example:${port}/`, request);
  await expect(failed).rejects.toThrow('The connection failed.');
  const closed = createPost({ resolve: async () => ['10.0.0.1'] })('http://inside.example/', request);
  await expect(closed).rejects.toThrow('inside.example has no address on the internet.');
  const unknown = createPost({ resolve: async () => [] })('http://inside.example/', request);
  await expect(unknown).rejects.toThrow('inside.example has no address on the internet.');
});
