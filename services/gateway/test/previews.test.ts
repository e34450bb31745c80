// Previews at the gateway: which callers pass, which request reaches the app, which headers responses carry, and how a
// preview ends.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  brand,
  type GatewayWithPreviews,
  startGatewayWithPreviews,
  tokenHeader,
  tokenParameter,
} from './gateway-with-previews.ts';
import { startUpstream, type Upstream } from './proxy-fixture.ts';

let gateway: GatewayWithPreviews;
let app: Upstream;
let guest: Upstream;
const lines: string[] = [];

/** Server that answers with the request it received. */
const echo = (name: string) =>
  startUpstream((request, response) => {
    response.setHeader('X-App', name);
    response.setHeader('Access-Control-Allow-Origin', 'https://of-the-app.example');
    response.end(JSON.stringify({ name, method: request.method, url: request.url, headers: request.headers }));
  });

beforeAll(async () => {
  app = await echo('app');
  guest = await echo('guest');
  const sockets = new WebSocketServer({ server: app.server });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
  const logger = createLogger(
    { role: 'gateway' },
    { level: 'debug', destination: { write: (line: string) => void lines.push(line) } },
  );
  gateway = await startGatewayWithPreviews(() => ({ api: guest.port, 3000: app.port, 5000: app.port }), { logger });
  await gateway.sandbox('box', { runtime: { ports: [{ target: 5000 }] } });
});
afterAll(async () => {
  for (const { server } of [app, guest]) {
    server.closeAllConnections();
    server.close();
  }
  await gateway[Symbol.asyncDispose]();
});

const seen = (text: string): { name: string; url: string; method: string; headers: Record<string, string> } =>
  JSON.parse(text);

test('a public preview needs no credential, also on an undeclared port', async () => {
  const host = await gateway.preview('box', 'open', { public: true });
  const { status, text } = await gateway.send(host, { path: '//a%2Fb?x=1&y' });
  expect([status, seen(text).name, seen(text).url]).toEqual([200, 'app', '//a%2Fb?x=1&y']);
});

test('wire check 13: a private preview is 401 without a token, and takes one in the header or the query, which goes no further', async () => {
  const host = await gateway.preview('box', 'private');
  const none = await gateway.send(host);
  expect(none.status).toBe(401);
  expect(none.text).toContain(tokenParameter);
  const token = await gateway.token('box', 'private');
  const byHeader = await gateway.send(host, { headers: { [tokenHeader]: token } });
  expect(byHeader.status).toBe(200);
  const byQuery = await gateway.send(host, { path: `/p?a=1&${tokenParameter}=${token}&b=2` });
  expect(seen(byQuery.text).url).toBe('/p?a=1&b=2');
  expect(seen((await gateway.send(host, { path: `/p?${tokenParameter}=${token}` })).text).url).toBe('/p');
  for (const { text } of [byHeader, byQuery]) expect(text).not.toContain(token);
});

test('U-16: the cookie follows a token in header or query, lives as long as it, opens sub-requests, and the app never sees it', async () => {
  const host = await gateway.preview('box', 'cookie');
  const token = await gateway.token('box', 'cookie', 100_000);
  const byQuery = await gateway.send(host, { path: `/?${tokenParameter}=${token}` });
  const [cookie = ''] = byQuery.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(
    new RegExp(
      `^${tokenParameter}=${token}; Max-Age=(9\\d|100); Path=/; HttpOnly; Secure; SameSite=None; Partitioned$`,
    ),
  );
  expect((await gateway.send(host, { headers: { [tokenHeader]: token } })).headers['set-cookie']).toHaveLength(1);
  const pair = cookie.split(';', 1)[0] ?? '';
  const sub = await gateway.send(host, { headers: { cookie: `theme=dark; ${pair}; lang=en` } });
  expect(sub.status).toBe(200);
  expect(sub.headers['set-cookie']).toBeUndefined();
  expect(seen(sub.text).headers.cookie).toBe('theme=dark; lang=en');
  expect(seen((await gateway.send(host, { headers: { cookie: pair } })).text).headers).not.toHaveProperty('cookie');
});

test('a socket opens with the cookie alone', async () => {
  const host = await gateway.preview('box', 'socket');
  const token = await gateway.token('box', 'socket');
  const open = (cookie?: string) =>
    new WebSocket(`ws://127.0.0.1:${gateway.server.port}/ws`, {
      headers: { host, ...(cookie === undefined ? {} : { cookie }) },
    });
  const socket = open(`${tokenParameter}=${token}`);
  await once(socket, 'open');
  socket.send('hello');
  expect(String((await once(socket, 'message'))[0])).toBe('echo hello');
  socket.terminate();
  const refused = open();
  const [error] = await once(refused, 'error');
  expect(String(error)).toContain('401');
});

test('a page of another origin acts with no cookie of the visitor’s: neither by a socket nor by a write', async () => {
  const host = await gateway.preview('box', 'cross-site', { port: 443 });
  const page = await gateway.preview('box', 'cross-site-app');
  const cookies = {
    [host]: `${tokenParameter}=${await gateway.token('box', 'cross-site')}`,
    [page]: `${tokenParameter}=${await gateway.token('box', 'cross-site-app')}`,
  };
  const send = async (at: string, headers: Record<string, string>, method = 'POST') => {
    const body = method === 'POST' ? { body: '{"command": "id"}' } : {};
    return gateway.send(at, { method, path: '/process', headers: { cookie: cookies[at] ?? '', ...headers }, ...body });
  };
  for (const at of [host, page]) {
    const upgrade = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x',
      'sec-websocket-version': '13',
    };
    for (const from of ['https://evil.example', `https://${at === host ? page : host}`, 'null']) {
      const refused = [
        await send(at, { origin: from, 'content-type': 'text/plain' }),
        await send(at, { origin: from, ...upgrade }, 'GET'),
      ];
      for (const { status, text } of refused)
        expect([from, status, text]).toEqual([from, 403, expect.stringContaining('another origin')]);
    }
    expect((await send(at, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send(at, { origin: `https://${at}`, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await send(at, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 'GET')).status).toBe(
      200,
    );
    // A caller who knows the token is not a foreign page.
    const token = cookies[at]?.split('=')[1] ?? '';
    expect((await send(at, { origin: 'https://console.example', [tokenHeader]: token })).status).toBe(200);
  }
});

test('an origin that the owner lists acts with the cookie; that all may read is no such list', async () => {
  const spec = (origin: string) => ({ port: 443, responseHeaders: { 'Access-Control-Allow-Origin': origin } });
  const listed = await gateway.preview('box', 'listed', spec('https://console.example'));
  const all = await gateway.preview('box', 'all-read', spec('*'));
  const headers = { origin: 'https://console.example', cookie: '' };
  const post = async (host: string, name: string) =>
    (
      await gateway.send(host, {
        method: 'POST',
        headers: { ...headers, cookie: `${tokenParameter}=${await gateway.token('box', name)}` },
      })
    ).status;
  expect([await post(listed, 'listed'), await post(all, 'all-read')]).toEqual([200, 403]);
});

/**
 * Expects that requests are refused soon after now. The exact limit of one second is asserted with a test clock in
 * catalogue.test.ts; while the database is slower than that, cached data stands in.
 */
async function expectRefusedSoon(status: () => Promise<number>): Promise<void> {
  const changedAt = performance.now();
  let letInAt = changedAt;
  const ask = async () => {
    const sentAt = performance.now();
    const said = await status();
    if (said === 200) letInAt = sentAt;
    return said;
  };
  await expect.poll(ask, { interval: 10 }).toBe(401);
  expect(letInAt - changedAt).toBeLessThan(5_000);
}

test('a token of another preview, a wrong one, an expired one and a deleted one are 401', async () => {
  const host = await gateway.preview('box', 'ended');
  await gateway.preview('box', 'other');
  const foreign = await gateway.token('box', 'other');
  for (const token of [foreign, 'wrong', 'x'.repeat(43), '', 'a b'])
    expect((await gateway.send(host, { headers: { [tokenHeader]: token } })).status).toBe(401);
  const endsAt = Date.now() + 5_000;
  const brief = await gateway.token('box', 'ended', endsAt - Date.now());
  const kept = await gateway.token('box', 'ended');
  const status = async (token: string) => (await gateway.send(host, { headers: { [tokenHeader]: token } })).status;
  expect([await status(brief), await status(kept)]).toEqual([200, 200]);
  await sleep(endsAt - Date.now() + 50);
  expect([await status(brief), await status(kept)]).toEqual([401, 200]);
  await gateway.api.admin.delete(`/sandboxes/box/previews/ended/tokens/${kept}`);
  await expectRefusedSoon(() => status(kept));
});

test('a token works with the first call after it was made, also at a gateway that hears of nothing', async () => {
  const deaf = await startGatewayWithPreviews(() => ({ 3000: app.port }), { isDeaf: true });
  await deaf.sandbox('quick');
  const host = await deaf.preview('quick', 'site');
  for (let round = 0; round < 10; round += 1) {
    expect((await deaf.send(host)).status).toBe(401);
    const token = await deaf.token('quick', 'site');
    expect((await deaf.send(host, { headers: { [tokenHeader]: token } })).status).toBe(200);
  }
  await deaf[Symbol.asyncDispose]();
});

test('U-36: Authorization is the app’s, but a key of ours is taken out and opens nothing', async () => {
  const open = await gateway.preview('box', 'authorized', { public: true });
  const own = await gateway.send(open, { headers: { authorization: 'Bearer of-the-app' } });
  expect(seen(own.text).headers.authorization).toBe('Bearer of-the-app');
  const keyed = await gateway.send(open, { headers: { authorization: `Bearer ${gateway.api.adminKey}` } });
  expect(keyed.status).toBe(200);
  expect(keyed.text).not.toContain(gateway.api.adminKey);
  const branded = { [`X-${brand.long}-Authorization`]: `Bearer ${gateway.api.adminKey}`, authorization: 'Basic YTpi' };
  const both = await gateway.send(open, { headers: branded });
  expect(both.text).not.toContain(gateway.api.adminKey);
  expect(seen(both.text).headers.authorization).toBe('Basic YTpi');
  const closed = await gateway.preview('box', 'unauthorized');
  expect((await gateway.send(closed, { headers: { authorization: `Bearer ${gateway.api.adminKey}` } })).status).toBe(
    401,
  );
});

test('requestHeaders are on every request in place of the client’s, responseHeaders on every answer in place of the app’s', async () => {
  const host = await gateway.preview('box', 'dressed', {
    public: true,
    requestHeaders: { 'X-Secret': 'of-the-preview', 'User-Agent': 'preview' },
    responseHeaders: { 'Access-Control-Allow-Origin': 'https://page.example', 'X-Frame-Options': 'DENY' },
  });
  const { headers, text } = await gateway.send(host, { headers: { 'x-secret': 'of-the-client' } });
  expect(seen(text).headers).toMatchObject({ 'x-secret': 'of-the-preview', 'user-agent': 'preview' });
  expect(headers).toMatchObject({
    'x-app': 'app',
    'access-control-allow-origin': 'https://page.example',
    'x-frame-options': 'DENY',
  });
});

test('answers of the gateway carry responseHeaders too: 401, 502 and whatever is refused', async () => {
  const responseHeaders = { 'Access-Control-Allow-Origin': 'https://page.example', 'Content-Type': 'text/html' };
  const closed = await gateway.preview('box', 'error-401', { responseHeaders });
  const silent = await gateway.preview('box', 'error-50x', { responseHeaders, port: 4444, public: true });
  const api = await gateway.preview('box', 'error-403', { responseHeaders, port: 443, public: true });
  for (const [host, path, status] of [
    [closed, '/', 401],
    [silent, '/', 502],
    [api, '/upgrade', 403],
  ] as const) {
    const answer = await gateway.send(host, { path });
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe('https://page.example');
    expect(answer.headers['content-type']).toContain('application/json');
  }
});

test('wire check 13: OPTIONS is answered with responseHeaders, without a token and without an app', async () => {
  const responseHeaders = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': tokenHeader };
  for (const [name, port] of [
    ['options', 3000],
    ['options-silent', 4444],
  ] as const) {
    const host = await gateway.preview('box', name, { responseHeaders, port });
    const before = app.accepted();
    const asked = {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
    };
    const answer = await gateway.send(host, asked);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': tokenHeader,
    });
    expect(app.accepted()).toBe(before);
  }
  const plain = await gateway.preview('box', 'options-app', { public: true });
  expect(seen((await gateway.send(plain, { method: 'OPTIONS' })).text).method).toBe('OPTIONS');
  const closed = await gateway.preview('box', 'options-closed');
  expect((await gateway.send(closed, { method: 'OPTIONS' })).status).toBe(204);
});

test('U-15: port 443 is the API without its upkeep; /port/{n} works for declared ports', async () => {
  const host = await gateway.preview('box', 'api', { port: 443 });
  const token = await gateway.token('box', 'api');
  const headers = { [tokenHeader]: token };
  const call = (path: string, method = 'GET') => gateway.send(host, { path, method, headers });
  expect(seen((await call('/filesystem//tmp?x')).text)).toMatchObject({ name: 'guest', url: '/filesystem//tmp?x' });
  for (const path of [
    '/upgrade',
    '/upgrade/',
    '//upgrade',
    '/UPGRADE?x',
    '/environment/reload',
    '/environment//reload',
    '/network/tunnel',
    '/network/tunnel/config',
    '/network/tunnel?x',
  ]) {
    const { status } = await call(path, 'POST');
    expect(status, path).toBe(403);
  }
  expect((await call('/control/v1/state')).status).toBe(404);
  expect(seen((await call('/port/5000/deep?y')).text)).toMatchObject({ name: 'app', url: '/deep?y' });
  expect((await call('/port/3000')).status).toBe(403);
  const keyed = await gateway.send(host, { headers: { ...headers, authorization: 'Bearer anything' } });
  expect(seen(keyed.text).headers).not.toHaveProperty('authorization');
  const direct = await gateway.preview('box', 'api-8080', { port: 8080, public: true });
  expect((await gateway.send(direct, { path: '/upgrade', method: 'POST' })).status).toBe(403);
  expect(seen((await gateway.send(direct, { path: '/health' })).text).name).toBe('guest');
});

test('a preview that is missing, deleted, over, or whose sandbox is, is 404', async () => {
  expect((await gateway.send('nothing.local.preview.example.org')).status).toBe(404);
  expect((await gateway.send('nothing.example.com')).status).toBe(404);
  const deleted = await gateway.preview('box', 'deleted', { public: true });
  const uid = await gateway.sandbox('ending');
  const orphan = await gateway.preview('ending', 'site', { public: true });
  const expires = new Date(Date.now() + 5_000).toISOString();
  const brief = await gateway.preview('box', 'brief', { public: true, expires });
  for (const host of [brief, deleted, orphan]) expect((await gateway.send(host)).status).toBe(200);
  await gateway.api.admin.delete('/sandboxes/box/previews/deleted');
  await sql`update resources set expires_at = clock_timestamp() where uid = ${uid}`.execute(gateway.database);
  await sleep(Date.parse(expires) - Date.now() + 50);
  for (const host of [brief, deleted, orphan]) {
    expect((await gateway.send(host)).status).toBe(404);
    expect((await gateway.send(host, { headers: { [tokenHeader]: 'of-a-preview-that-was' } })).status).toBe(401);
  }
});

test('a changed preview is served as changed soon after', async () => {
  const host = await gateway.preview('box', 'closing', { public: true });
  expect((await gateway.send(host)).status).toBe(200);
  await gateway.api.admin.put('/sandboxes/box/previews/closing', { metadata: {}, spec: { public: false } });
  await expectRefusedSoon(async () => (await gateway.send(host)).status);
});

test('a host below a customer’s domain leads to its preview', async () => {
  await gateway.api.admin.post('/customdomains', {
    metadata: { name: 'shop.example.com' },
    spec: { domainType: 'previews' },
  });
  const create = () =>
    gateway.api.admin.post('/sandboxes/box/previews', {
      metadata: { name: 'shop' },
      spec: { port: 3000, public: true, customDomain: 'shop.example.com', prefixUrl: 'beta' },
    });
  const early = await create();
  expect([early.status, early.body.message]).toEqual([400, expect.stringContaining('verify it first')]);
  await sql`update resources set spec = spec || '{"status": "verified"}' where name = 'shop.example.com'`.execute(
    gateway.database,
  );
  expect((await create()).body.spec.url).toBe('https://beta.shop.example.com');
  expect((await gateway.send('beta.shop.example.com')).status).toBe(200);
  expect((await gateway.send('gamma.shop.example.com')).status).toBe(404);
  const refused = await gateway.api.admin.delete('/customdomains/shop.example.com');
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('the preview shop')]);
  await gateway.api.admin.put('/sandboxes/box/previews/shop', { metadata: {}, spec: { prefixUrl: '' } });
  expect((await gateway.send('shop.example.com')).status).toBe(200);
});

test('no token is ever in a log', async () => {
  const host = await gateway.preview('box', 'logged');
  const token = await gateway.token('box', 'logged');
  await gateway.send(host, { path: `/?${tokenParameter}=${token}` });
  await gateway.send(host, { headers: { [tokenHeader]: token } });
  expect(lines.some((line) => line.includes('"preview":"logged"'))).toBe(true);
  expect(lines.join('\n')).not.toContain(token);
});
