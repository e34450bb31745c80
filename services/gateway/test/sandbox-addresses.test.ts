// Addresses of a sandbox: which path reaches which port, and with which headers.
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import {
  call,
  heardIn,
  type SandboxesBehindIngress,
  startSandboxesBehindIngress,
  type Wish,
  ways,
} from './sandboxes-behind-ingress.ts';
import type { TestGateway } from './test-gateway.ts';

const brand = conformanceBrand();
const branded = (name: string) => `x-${brand.long}-${name}`.toLowerCase();
let sandboxes: SandboxesBehindIngress;
let gateway: TestGateway;
let sandbox: Awaited<ReturnType<SandboxesBehindIngress['addSandbox']>>;
let key: string;
let base: string;

beforeAll(async () => {
  sandboxes = await startSandboxesBehindIngress();
  gateway = await sandboxes.startGateway('tunnel');
  sandbox = await sandboxes.addSandbox();
  key = (await sandboxes.api.user({ memberOf: 'main' })).key;
  base = `/main/sandboxes/${sandbox.name}`;
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandboxes[Symbol.asyncDispose]();
});

const bearer = () => ({ authorization: `Bearer ${key}` });
const ask = (path: string, wish: Wish = {}) =>
  call(gateway.port, `${base}${path}`, { ...wish, headers: { ...bearer(), ...wish.headers } });
const codeOf = ({ body }: { body: string }): string => JSON.parse(body).error.code;

describe('wire check 1: a path reaches the sandbox byte for byte', () => {
  test.each([
    '/filesystem/a.txt',
    '/filesystem/src/a.txt',
    '/filesystem/%2Ftmp%2Fa.txt',
    '/filesystem//tmp/a.txt',
    '/filesystem%2Ftmp/a.txt',
    '/filesystem/src%2Fa.txt',
    '/filesystem/',
    '/filesystem/~/x',
    '/filesystem/tree//etc',
    '/filesystem/tree%2Fetc?recursive=true',
    '//',
    '/a/../b/./c?d=//e%2f#',
    '/portal/1',
    '/ports',
  ])('%s', async (path) => {
    const byPath = heardIn(await ask(path, { method: 'PUT', body: 'x' }));
    const byHost = heardIn(await call(gateway.port, path, { headers: { ...bearer(), host: sandbox.host } }));
    expect([byPath.where, byPath.url, byHost.where, byHost.url]).toEqual(['api', path, 'api', path]);
  });

  test('and the name alone is its root', async () => {
    expect(heardIn(await ask('')).url).toBe('/');
    expect(heardIn(await ask('?a=b')).url).toBe('/?a=b');
  });
});

describe('U-17: a declared port', () => {
  test.each([
    ['', '/'],
    ['/', '/'],
    ['?a=%2F', '/?a=%2F'],
    ['//x/%2F/../y?z', '//x/%2F/../y?z'],
    ['/port/80', '/port/80'],
    ['/control/v1/state', '/control/v1/state'],
    ['/terminal?token=theirs', '/terminal?token=theirs'],
  ])('has its prefix taken off: %s is %s', async (rest, url) => {
    const place = `/port/${sandboxes.program.appPort}`;
    const byPath = heardIn(await ask(`${place}${rest}`));
    expect([byPath.where, byPath.url]).toEqual(['app', url]);
    expect(byPath.headers).toMatchObject({
      'x-forwarded-prefix': `${base}${place}`,
      'x-forwarded-host': `127.0.0.1:${gateway.port}`,
      'x-forwarded-proto': 'http',
    });
    const wish = { headers: { ...bearer(), host: sandbox.host, 'x-forwarded-prefix': '/forged' } };
    const byHost = heardIn(await call(gateway.port, `${place}${rest}`, wish));
    expect([byHost.url, byHost.headers['x-forwarded-prefix']]).toEqual([url, place]);
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'OPTIONS'])(
    'takes %s with a body',
    async (method) => {
      const body = randomBytes(100_000);
      const heard = heardIn(await ask(`/port/${sandboxes.program.appPort}/x`, { method, body }));
      expect([heard.method, heard.sha256]).toEqual([method, createHash('sha256').update(body).digest('hex')]);
    },
  );

  test('takes WebSockets and other protocols', async () => {
    const socket = connect(gateway.port, '127.0.0.1').setEncoding('latin1');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    const lines = [
      `GET ${base}/port/${sandboxes.program.appPort}/live?a=b HTTP/1.1`,
      `Host: localhost`,
      `Authorization: Bearer ${key}`,
      'Connection: Upgrade',
      'Upgrade: echo',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\nhello there`);
    await expect.poll(() => heard).toMatch(/^HTTP\/1.1 101 .*\r\nX-Url: \/live\?a=b\r\n.*hello there$/s);
    socket.destroy();
  });

  test('and its API keep connections apart', async () => {
    const rounds = Array.from({ length: 20 }, (_, at) =>
      ask(at % 2 === 0 ? '/x' : `/port/${sandboxes.program.appPort}/x`).then((said) => heardIn(said).where),
    );
    expect(await Promise.all(rounds)).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'api' : 'app')));
  });
});

describe('another port', () => {
  test('that is not declared is 403, and the message says what to do', async () => {
    const said = await ask('/port/3000/x');
    expect([said.status, codeOf(said)]).toEqual([403, 'FORBIDDEN']);
    expect(JSON.parse(said.body).error.message).toContain('spec.runtime.ports');
  });

  test.each([80, 443, 8080])(
    'that is reserved is 403, also where others are allowed and when declared: %i',
    async (port) => {
      await using lenient = await sandboxes.startGateway('tunnel', { sandboxes: { undeclaredPorts: 'allow' } });
      const { name } = await sandboxes.addSandbox({ ports: [port] });
      const said = await call(lenient.port, `/main/sandboxes/${name}/port/${port}/upgrade`, { headers: bearer() });
      expect([said.status, codeOf(said)]).toEqual([403, 'FORBIDDEN']);
    },
  );

  test('is reached when the operator allows it', async () => {
    await using lenient = await sandboxes.startGateway('tunnel', { sandboxes: { undeclaredPorts: 'allow' } });
    const { name } = await sandboxes.addSandbox({ ports: [] });
    const target = `/main/sandboxes/${name}/port/${sandboxes.program.appPort}/x`;
    expect(heardIn(await call(lenient.port, target, { headers: bearer() })).where).toBe('app');
  });

  test.each(['0', '65536', '123456', '08', 'abc', '', '%33'])('/port/%s is 400', async (digits) => {
    const said = await ask(`/port/${digits}/x`);
    expect([said.status, codeOf(said)]).toEqual([400, 'BAD_REQUEST']);
  });

  test.each(ways)('on which nothing listens is 502 at once, and the message says what to do (%s)', async (way) => {
    // A request that waits would do so until the end of the test.
    await using other = await sandboxes.startGateway(way, { patienceMs: 3_600_000 });
    const { name } = await sandboxes.addSandbox({ ports: [1] });
    const said = await call(other.port, `/main/sandboxes/${name}/port/1/x`, {
      headers: bearer(),
      method: 'POST',
      body: 'x',
    });
    expect([said.status, codeOf(said)]).toEqual([502, 'PORT_UNREACHABLE']);
    expect(JSON.parse(said.body).error).toMatchObject({
      message: expect.stringContaining('port 1 '),
      action: expect.stringContaining('0.0.0.0'),
      dispatch_state: 'not_dispatched',
    });
  });
});

describe('U-36: the credential', () => {
  const app = () => `/port/${sandboxes.program.appPort}/x`;
  test('in Authorization alone is taken out, for the API and for a port', async () => {
    for (const path of ['/x', app()]) expect(heardIn(await ask(path)).headers.authorization).toBeUndefined();
  });

  test('in the branded header is taken out, and Authorization goes to the app behind a port and not to the API', async () => {
    const headers = { [branded('authorization')]: `Bearer ${key}`, authorization: 'Basic theirs' };
    const [api, port] = [heardIn(await ask('/x', { headers })), heardIn(await ask(app(), { headers }))];
    expect([api.headers.authorization, port.headers.authorization]).toEqual([undefined, 'Basic theirs']);
    for (const heard of [api, port]) expect(heard.headers[branded('authorization')]).toBeUndefined();
  });

  test('tells the sandbox which caller it is, and no caller can forge that', async () => {
    const { id } = await sandboxes.api.user({ memberOf: 'main' });
    const forged = Object.fromEntries(
      ['subject-id', 'subject-type', 'auth-method', 'subject', 'workspace'].flatMap((name) => [
        [branded(name), 'forged'],
        [branded(name).replaceAll('-', '_'), 'forged'],
      ]),
    );
    const headers = { ...forged, 'x-subject-id': 'forged', 'x-subject-type': 'forged', 'x-request-id': 'mine' };
    const heard = heardIn(await ask('/x', { headers }));
    expect(heard.rawHeaders).not.toContain('forged');
    expect(heard.headers).toMatchObject({
      [branded('subject-type')]: 'user',
      [branded('auth-method')]: 'api_key',
      [branded('workspace')]: 'main',
      [branded('workload')]: sandbox.name,
      'x-request-id': 'mine',
    });
    expect(heard.headers[branded('subject-id')]).toMatch(/^[0-9a-f-]{36}$/);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is needed: none and a bad one are 401, a foreign one 404 like a missing sandbox', async () => {
    await sandboxes.api.addWorkspace('foreign');
    const foreigner = (await sandboxes.api.user({ memberOf: 'foreign' })).key;
    const asked = (credential: string | undefined, name = sandbox.name) =>
      call(gateway.port, `/main/sandboxes/${name}/x`, {
        headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
      });
    expect((await asked(undefined)).status).toBe(401);
    expect((await asked(undefined, 'nobody')).status).toBe(401);
    expect((await asked(`${brand.short}_bad`)).status).toBe(401);
    const [foreign, missing] = [await asked(foreigner), await asked(key, 'nobody')];
    expect([foreign.status, missing.status, codeOf(foreign), codeOf(missing)]).toEqual([
      ...[404, 404],
      ...['WORKLOAD_NOT_FOUND', 'WORKLOAD_NOT_FOUND'],
    ]);
  });
});

describe('a terminal takes the credential in its query', () => {
  test.each([
    ['/terminal/ws?token=KEY&cols=80&rows=24', '/terminal/ws?cols=80&rows=24'],
    ['/terminal?sessionId=a%2Fb&token=KEY', '/terminal?sessionId=a%2Fb'],
    ['/terminal?token=KEY', '/terminal'],
    ['/terminal/?to%6ben=KEY', '/terminal/'],
  ])('%s, and it goes no further', async (path, url) => {
    const said = await call(gateway.port, path.replace('KEY', encodeURIComponent(key)), {
      headers: { host: sandbox.host },
    });
    const heard = heardIn(said);
    expect(heard.url).toBe(url);
    expect(JSON.stringify(heard)).not.toContain(key);
  });

  test('also beside a header, where it is not looked at', async () => {
    expect(heardIn(await ask('/terminal/ws?token=other&a=b')).url).toBe('/terminal/ws?a=b');
  });

  test.each([
    ['/terminal?token=wrong', 401],
    ['/terminal?token=', 401],
    ['/terminal?token=KEY&token=KEY', 401],
    ['/terminal?x=KEY', 401],
    ['/process?token=KEY', 401],
    ['/terminal/other?token=KEY', 401],
    ['//terminal?token=KEY', 401],
  ])('but not so: %s', async (path, status) => {
    const said = await call(gateway.port, path.replaceAll('KEY', key), { headers: { host: sandbox.host } });
    expect(said.status).toBe(status);
  });
});

test.each([
  '/control',
  '/control/v1/state',
  '/control?x',
  '//control/v1/state',
  '/control%2Fv1',
  '/CONTROL/v1/quiesce',
])('U-14: what is the runner’s is refused: %s', async (path) => {
  const said = await ask(path, { method: 'POST' });
  expect([said.status, codeOf(said)]).toEqual([404, 'ROUTE_NOT_FOUND']);
});
