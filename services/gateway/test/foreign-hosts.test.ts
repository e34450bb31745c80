// Two tenants in one visitor's browser: which workload answers on which host, and what it learns about the visitor.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayWithPreviews, startGatewayWithPreviews, tokenParameter } from './gateway-with-previews.ts';
import { startUpstream, type Upstream } from './proxy-fixture.ts';

let gateway: GatewayWithPreviews;
let victim: Upstream;
let evil: Upstream;

const echo = (name: string) =>
  startUpstream((request, response) => {
    response.setHeader('Set-Cookie', ['shared=1; Domain=.example.org; Path=/', 'own=1; Path=/']);
    response.end(JSON.stringify({ name, url: request.url, headers: request.headers }));
  });
const seen = (answer: string): { name: string; url: string; headers: Record<string, string> } => JSON.parse(answer);

beforeAll(async () => {
  victim = await echo('victim');
  evil = await echo('evil');
  gateway = await startGatewayWithPreviews(() => ({ api: victim.port, 3000: victim.port, agent: evil.port }));
  await gateway.api.addWorkspace('evil');
  await gateway.agent('pwn', { public: true }, 'evil');
  await gateway.sandbox('box');
  await gateway.customDomain('victim.example.com');
});
afterAll(async () => {
  for (const { server } of [victim, evil]) {
    server.closeAllConnections();
    server.close();
  }
  await gateway[Symbol.asyncDispose]();
});

const attack = '/evil/agents/pwn/x.html';

test('on a host of one tenant, a path that names the public agent of another belongs to the host’s own workload', async () => {
  const custom = await gateway.preview('box', 'shop', {
    public: true,
    customDomain: 'victim.example.com',
    prefixUrl: 'app',
  });
  const preview = await gateway.preview('box', 'open', { public: true });
  expect(custom).toBe('app.victim.example.com');
  for (const host of [custom, preview].flatMap((name) => [name, name.toUpperCase(), `${name}.`, `${name}:443`])) {
    const { status, text: said } = await gateway.send(host, { path: attack });
    expect([host, status, seen(said).name, seen(said).url]).toEqual([host, 200, 'victim', attack]);
  }
});

test('a path on an unknown host is 404 and reaches no workload', async () => {
  const before = evil.accepted();
  for (const host of ['unknown.example.com', 'other.victim.example.com', 'x.eu.preview.example.org', '203.0.113.7']) {
    const headers = { 'x-forwarded-host': 'run.example.org', forwarded: 'host=run.example.org' };
    const { status, text: said } = await gateway.send(host, { path: attack, headers });
    expect([host, status, said]).toEqual([host, 404, expect.stringContaining('_NOT_FOUND')]);
  }
  expect(evil.accepted()).toBe(before);
});

test('the gateway’s own hosts take paths', async () => {
  for (const host of ['run.example.org', 'RUN.example.org.:443', 'example.org', 'localhost:8090', '[::1]:8090'])
    expect(seen((await gateway.send(host, { path: attack })).text)).toMatchObject({ name: 'evil', url: '/x.html' });
});

test.each([
  ['HTTP/1.0 without a host', `GET ${attack} HTTP/1.0`],
  ['HTTP/1.1 without a host', `GET ${attack} HTTP/1.1`],
  ['an absolute target', `GET http://run.example.org${attack} HTTP/1.1\r\nHost: app.victim.example.com`],
  ['two hosts', `GET ${attack} HTTP/1.1\r\nHost: app.victim.example.com\r\nHost: run.example.org`],
])('%s is a bad request', async (_, head) => {
  const socket = connect(gateway.server.port, '127.0.0.1');
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  expect((await text(socket)).split('\r\n', 1)).toEqual(['HTTP/1.1 400 Bad Request']);
});

test('a preview’s cookie reaches no workload of another tenant, by whichever address', async () => {
  const cookie = `a=1; ${tokenParameter}=secret`;
  const referer = `https://app.victim.example.com/?${tokenParameter}=secret`;
  for (const [host, path] of [
    ['run.example.org', attack],
    ['agt-pwn-evil.local.example.org', '/x.html'],
  ] as const) {
    const { text: said } = await gateway.send(host, { path, headers: { cookie, referer } });
    expect(seen(said)).toMatchObject({ name: 'evil', headers: { cookie: 'a=1' } });
    expect(said).not.toContain('secret');
  }
});

test('a workload sets no cookie for its neighbours, nor reads storage of theirs', async () => {
  const host = await gateway.preview('box', 'neighbour', { public: true });
  for (const each of [host, 'agt-pwn-evil.local.example.org']) {
    const { headers } = await gateway.send(each);
    expect(headers['set-cookie']).toEqual(['shared=1; Path=/', 'own=1; Path=/']);
    expect(headers).not.toHaveProperty('content-security-policy');
  }
  const { headers } = await gateway.send('run.example.org', { path: attack });
  expect(headers['set-cookie']).toEqual(['shared=1; Path=/evil/agents/pwn', 'own=1; Path=/evil/agents/pwn']);
  expect(headers['content-security-policy']).toMatch(/^sandbox(?!.*same-origin)/);
});

test('a preview sets no cookie by its responseHeaders either; below a customer’s domain it may share one', async () => {
  const responseHeaders = { 'Set-Cookie': 'given=1; Domain=victim.example.com' };
  const spec = { public: true, responseHeaders };
  const plain = await gateway.preview('box', 'giving', spec);
  expect((await gateway.send(plain)).headers['set-cookie']).toEqual(['given=1']);
  const custom = await gateway.preview('box', 'sharing', {
    ...spec,
    customDomain: 'victim.example.com',
    prefixUrl: 'b',
  });
  expect((await gateway.send(custom)).headers['set-cookie']).toEqual(['given=1; Domain=victim.example.com']);
});

test('a flood of false cookies that a neighbour set for the domain locks no visitor out', async () => {
  const host = await gateway.preview('box', 'flooded');
  const token = await gateway.token('box', 'flooded');
  const open = async (tokens: string[]) =>
    (await gateway.send(host, { headers: { cookie: tokens.map((each) => `${tokenParameter}=${each}`).join('; ') } }))
      .status;
  const flood = Array.from({ length: 150 }, (_, number) => `${'f'.repeat(43)}${number}`);
  expect(await open([...flood, token])).toBe(200);
  expect(await open(flood)).toBe(401);
});
