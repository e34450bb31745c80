import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { openPort } from '../../../tests/harness/port-opener.ts';
import { eventually } from './eventually.ts';

let guest: Awaited<ReturnType<typeof serveGuestInProcess>>;

beforeAll(async () => {
  guest = await serveGuestInProcess({ DISABLE_REQUEST_LOGGING: '1' }, '/tmp');
});
afterAll(() => guest[Symbol.asyncDispose]());

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${guest.url}${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: response.status, body: await response.json() };
};

/** Collects the callbacks that it receives; answers them, unless it is to hang. */
async function listener({ hangs = false } = {}) {
  const told: { pid: number; port: number }[] = [];
  const server = createServer(async (request, response) => {
    told.push(JSON.parse((await request.toArray()).join('')));
    if (!hangs) response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    told,
    url: `http://127.0.0.1:${port}/ports`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('the ports of a process are listed with those of its children', async () => {
  using server = await openPort('tcp', '0.0.0.0');
  const socket = { pid: server.pid, localPort: server.port, state: 'LISTEN', protocol: 'tcp' };
  expect(await call('GET', `/network/process/${process.pid}/ports`)).toMatchObject({
    status: 200,
    body: { pid: process.pid, ports: expect.arrayContaining([expect.objectContaining(socket)]) },
  });
});

test('an unknown pid has an empty list, and a pid that is no number is refused with 400', async () => {
  expect(await call('GET', '/network/process/4194999/ports')).toEqual({
    status: 200,
    body: { pid: 4_194_999, ports: [] },
  });
  for (const pid of ['abc', '1.5', '-1', '0', '12a']) {
    expect(await call('GET', `/network/process/${pid}/ports`)).toMatchObject({ status: 400 });
  }
});

test('a port that opens is told once, with pid and port', async () => {
  using target = await listener();
  using server = await openPort('tcp', '127.0.0.1');
  const path = `/network/process/${server.pid}/monitor`;
  expect(await call('POST', path, { callback: target.url })).toMatchObject({ status: 200, body: { path: '' } });
  await call('POST', path, { callback: target.url });
  await eventually(() => target.told.length > 0);
  // Long enough for the next poll of the ports, which must report nothing.
  await sleep(1_200);
  expect(target.told).toEqual([{ pid: server.pid, port: server.port }]);
  expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { path: '' } });
});

test('R-58 a callback that hangs holds up neither its removal nor others', async () => {
  // The callback's own timeout never fires: only a removal that does not wait for the callback is answered.
  using _endless = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  using hanging = await listener({ hangs: true });
  using target = await listener();
  using server = await openPort('tcp', '0.0.0.0');
  const path = `/network/process/${server.pid}/monitor`;
  await call('POST', path, { callback: hanging.url });
  await eventually(() => hanging.told.length > 0);
  await call('POST', path, { callback: target.url });
  await eventually(() => target.told.length > 0);
  expect(await call('DELETE', path)).toMatchObject({ status: 200 });
  // The first removal leaves nothing that a second one could fail on.
  expect(await call('DELETE', path)).toMatchObject({ status: 200 });
});

test.each([
  'http://10.0.0.1/x',
  'http://169.254.169.254/latest',
  'https://127.0.0.1/x',
  'http://127.0.0.1.example.com/',
  'http://localhost.example.com/',
  'http://[::2]/',
  'http://0.0.0.0:80/',
  'file:///etc/passwd',
  'nonsense',
])('a callback to %s is refused with 400', async (callback) => {
  const answer = await call('POST', `/network/process/${process.pid}/monitor`, { callback });
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('callback') } });
});

test('a monitor of a process that is not there is refused with 404, and ends with its process', async () => {
  using target = await listener();
  expect(await call('POST', '/network/process/4194999/monitor', { callback: target.url })).toMatchObject({
    status: 404,
  });
  const { monitorsOf } = await import('../src/ports/port-monitors.ts');
  const before = monitorsOf(guest.guest).count;
  {
    using server = await openPort('tcp', '127.0.0.1');
    await call('POST', `/network/process/${server.pid}/monitor`, { callback: target.url });
    expect(monitorsOf(guest.guest).count).toBe(before + 1);
  }
  await eventually(() => monitorsOf(guest.guest).count === before);
});

test('monitors beyond the most are refused, and say how to go on', async () => {
  using server = await openPort('tcp', '127.0.0.1');
  const path = `/network/process/${server.pid}/monitor`;
  const answers = await Promise.all(
    Array.from({ length: 101 }, (_, index) => call('POST', path, { callback: `http://127.0.0.1:9/${index}` })),
  );
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(1);
  expect(await call('DELETE', path)).toMatchObject({ status: 200 });
});
