// Wire check 12: a session from a browser's origin. A session is a private preview on port 443 with a token, nothing
// else. Here it is in front of the real API, which runs as a process of this machine.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { openAtHost } from '../../../tests/harness/send-to-host.ts';
import { type GatewayWithPreviews, startGatewayWithPreviews, tokenHeader } from './gateway-with-previews.ts';

const origin = 'https://page.example';
let gateway: GatewayWithPreviews;
let guest: GuestProcess;
beforeAll(async () => {
  guest = await startGuestProcess();
  gateway = await startGatewayWithPreviews(() => ({ api: Number(new URL(guest.url).port) }));
  await gateway.sandbox('box');
}, 120_000);
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await guest[Symbol.asyncDispose]();
});

const previews = '/sandboxes/box/previews';

/** Creates a session as clients do: a preview and a token that end together. */
async function createSession(lifeMs: number, spec: object = {}) {
  const name = `session-${Date.now()}`;
  const expiresAt = new Date(Date.now() + lifeMs).toISOString();
  const made = await gateway.api.admin.post(previews, {
    metadata: { name },
    spec: { port: 443, expires: expiresAt, ...spec },
  });
  expect(made.status, made.text).toBe(200);
  const { body } = await gateway.api.admin.post(`${previews}/${name}/tokens`, {
    metadata: { name: `token-${Date.now()}` },
    spec: { expiresAt },
  });
  return { name, host: gateway.hostOf(made.body.spec.url), token: body.spec.token as string, expiresAt };
}

/** The preflight that a browser sends before a call with a custom header. */
const preflight = (host: string) =>
  gateway.send(host, {
    method: 'OPTIONS',
    path: '/process',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': `content-type,${tokenHeader.toLowerCase()}`,
    },
  });

test('wire check 12: preflight, ls, a process that streams, and a watch, from a page of another origin', async () => {
  const session = await createSession(60_000);
  const allowed = await preflight(session.host);
  expect(allowed.status).toBe(204);
  expect(allowed.headers['access-control-allow-origin']).toBe('*');
  expect(allowed.headers['access-control-allow-methods']).toContain('POST');
  expect(allowed.headers['access-control-allow-headers']?.toLowerCase()).toContain(tokenHeader.toLowerCase());

  const headers = { origin, [tokenHeader]: session.token };
  const call = (method: string, path: string, body?: object) =>
    gateway.send(session.host, {
      method,
      path,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const written = await call('PUT', '/filesystem/hello.txt', { content: 'hello' });
  expect([written.status, written.headers['access-control-allow-origin']]).toEqual([200, '*']);
  const listed = JSON.parse((await call('GET', '/filesystem/.')).text);
  expect(listed.files.map(({ name }: { name: string }) => name)).toContain('hello.txt');

  const streamed = await gateway.send(session.host, {
    method: 'POST',
    path: '/process',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ command: 'for i in 1 2 3; do echo line $i; sleep 0.1; done', waitForCompletion: true }),
  });
  expect(streamed.status).toBe(200);
  for (const line of ['line 1', 'line 2', 'line 3']) expect(streamed.text).toContain(line);

  const stop = new AbortController();
  const watched = firstEvent(session.host, headers, stop.signal);
  await sleep(300);
  await call('PUT', '/filesystem/seen.txt', { content: 'x' });
  expect(await watched).toContain('seen.txt');
  stop.abort();
}, 60_000);

/** First line of a watch that names the file. */
async function firstEvent(host: string, headers: Record<string, string>, signal: AbortSignal): Promise<string> {
  const answer = await openAtHost(gateway.server.url, host, { path: '/watch/filesystem/.', headers, signal });
  const lines = createInterface({ input: answer });
  // The test itself aborts the stream, so its errors are expected.
  for (const each of [answer, lines]) each.on('error', () => {});
  for await (const line of lines) if (line.includes('seen.txt')) return line;
  return '';
}

test('wire check 12: sessions are listed with their tokens, and a session that has expired is 401, also to a page', async () => {
  const session = await createSession(8_000);
  const names = (await gateway.api.admin.get(previews)).body.map(
    ({ metadata }: { metadata: { name: string } }) => metadata.name,
  );
  expect(names).toContain(session.name);
  const [token] = (await gateway.api.admin.get(`${previews}/${session.name}/tokens`)).body;
  expect(token.spec).toEqual({ token: session.token, expiresAt: session.expiresAt, expired: false });
  const use = async () =>
    (await gateway.send(session.host, { path: '/health', headers: { [tokenHeader]: session.token } })).status;
  expect(await use()).toBe(200);
  await sleep(Date.parse(session.expiresAt) - Date.now() + 50);
  expect(await use()).toBe(401);
  expect((await preflight(session.host)).status).toBe(204);
  const refused = await gateway.send(session.host, { headers: { origin, [tokenHeader]: session.token } });
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, '*']);
});

test('wire check 12: a token that ends before its session is 401 from then on, and a page may read that answer', async () => {
  const session = await createSession(60_000, { responseHeaders: { 'Access-Control-Allow-Origin': origin } });
  const endsAt = Date.now() + 5_000;
  const brief = await gateway.token('box', session.name, 5_000);
  const use = () => gateway.send(session.host, { path: '/health', headers: { origin, [tokenHeader]: brief } });
  expect((await use()).status).toBe(200);
  await sleep(endsAt - Date.now() + 200);
  const refused = await use();
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin]);
});

test('a session gives only the API of its sandbox: nothing of the management API takes its token', async () => {
  const { token } = await createSession(60_000);
  const asKey = gateway.api.admin.with({ key: token });
  expect((await asKey.get('/sandboxes')).status).toBe(401);
  const headers = { [tokenHeader]: token };
  expect((await gateway.api.admin.with({ key: undefined }).get('/sandboxes', { headers })).status).toBe(401);
});
