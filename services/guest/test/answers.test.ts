// Properties that every answer has, on any route.
import { Agent, request } from 'node:http';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';

let guest: Awaited<ReturnType<typeof serveGuestInProcess>>;
beforeAll(async () => {
  guest = await serveGuestInProcess({ DISABLE_REQUEST_LOGGING: '1' }, '/tmp');
});
afterAll(() => guest[Symbol.asyncDispose]());

const asked: readonly [string, string][] = [
  ['GET', '/health'],
  ['GET', '/filesystem//etc/hostname'],
  ['GET', '/filesystem//etc/hostname?download=true'],
  ['GET', '/filesystem//no/such/file'],
  ['GET', '/no-such-route'],
  ['PATCH', '/health'],
  ['OPTIONS', '/filesystem//etc'],
  ['HEAD', '/health'],
];

test.each(asked)('R-38 %s %s may not be cached, and a browser may read it', async (method, path) => {
  const { headers } = await fetch(`${guest.url}${path}`, { method });
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-cache, no-store, must-revalidate',
    pragma: 'no-cache',
    expires: '0',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, PUT, DELETE, HEAD, OPTIONS',
    'access-control-allow-headers': expect.stringMatching(/X-Service-Preview-Token.*Mcp-Session-Id/),
  });
});

test('OPTIONS is 204 without a body, wherever it is sent', async () => {
  const response = await fetch(`${guest.url}/anything/at/all`, { method: 'OPTIONS' });
  expect([response.status, await response.text()]).toEqual([204, '']);
});

test('a route that is not there is a 404, a method that it does not take a 405 with those it takes, both as JSON', async () => {
  const missing = await fetch(`${guest.url}/treehouse`);
  expect([missing.status, await missing.json()]).toEqual([404, { error: expect.stringContaining('/swagger') }]);
  const wrong = await fetch(`${guest.url}/process`, { method: 'PUT' });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST']);
});

test('a trailing slash changes nothing', async () => {
  expect((await fetch(`${guest.url}/health/`, { redirect: 'error' })).status).toBe(200);
});

test('a refusal reaches a caller that is still sending, and the connection goes on', async () => {
  const body = Buffer.alloc(3 * bytesPerMb, 'x');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const path of ['/nowhere', '/process', '/nowhere']) {
    const seen = await new Promise<unknown[]>((resolve, reject) => {
      const headers = { 'content-length': body.length };
      const sent = request(`${guest.url}${path}`, { agent, method: 'DELETE', headers });
      sent.once('response', (answer) =>
        answer.resume().once('end', () => resolve([answer.statusCode, answer.headers.connection])),
      );
      sent.once('error', reject).end(body);
    });
    expect(seen).toEqual([path === '/process' ? 405 : 404, 'keep-alive']);
  }
  agent.destroy();
});

test('an answer to a traced request tells the time until its head, and no other answer does', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const time = (headers: Headers) => headers.get('x-service-guest-ms');
  for (const path of ['/health', '/nowhere', '/filesystem/nowhere']) {
    expect(time((await fetch(`${guest.url}${path}`, { headers: { traceparent } })).headers)).toMatch(/^\d+\.\d{3}$/);
    expect(time((await fetch(`${guest.url}${path}`)).headers)).toBeNull();
  }
});
