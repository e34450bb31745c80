// Wire checks 12 and 13: previews and sessions through the gateway, each repeated after the sandbox has slept.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBrand, headerNames, previewTokenParameter } from '@berth/contract';
import { test } from 'vitest';
import { type HostRequest, openAtHost, sendToHost } from '../../harness/send-to-host.ts';
import type { SandboxFleet } from './sandbox-fleet.ts';

const tokenHeader = headerNames(defaultBrand).previewToken;
const parameter = previewTokenParameter(defaultBrand);
const origin = 'https://page.example';
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
/** Command of a server that answers with the requested path. */
const server = (host: string, port: number): string =>
  `node -e "require('http').createServer((q, s) => s.end('port ' + q.url)).listen(${port}, '${host}')"`;

export function previewChecks(bedOf: () => SandboxFleet): void {
  const previews = (sandbox: string) => `/sandboxes/${sandbox}/previews`;
  const gateway = () => bedOf().fleet.gateways[0]?.url ?? '';

  async function preview(sandbox: string, name: string, spec: object): Promise<string> {
    const { status, body } = await bedOf().api.post(previews(sandbox), { metadata: { name }, spec });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return new URL(body.spec.url).host;
  }

  async function token(sandbox: string, name: string, expiresAt = inAnHour()): Promise<string> {
    const sent = { metadata: { name: `token-${Date.now()}` }, spec: { expiresAt } };
    return (await bedOf().api.post(`${previews(sandbox)}/${name}/tokens`, sent)).body.spec.token;
  }

  test.concurrent('wire check 13: a preview keeps its address, is opened by 15 tokens, closed to others, and wakes its sandbox', async ({
    expect,
  }) => {
    const { api, create } = bedOf();
    const sandbox = await create('previewed');
    await sandbox.start({ command: server('0.0.0.0', 4000), name: 'web', waitForPorts: [4000] });
    await sandbox.start({ command: server('127.0.0.1', 4001), name: 'inner' });
    const responseHeaders = { 'Access-Control-Allow-Origin': origin };
    const host = await preview('previewed', 'site', { port: 4000, responseHeaders });
    const send = (asked: HostRequest, at = host) => sendToHost(gateway(), at, asked);
    expect((await send({})).status).toBe(401);
    const values = await Promise.all(Array.from({ length: 15 }, () => token('previewed', 'site')));
    expect(new Set(values).size).toBe(15);
    for (const value of values) {
      const { status, text } = await send({ path: `/a%2Fb?x&${parameter}=${value}` });
      expect([status, text]).toEqual([200, 'port /a%2Fb?x']);
    }
    const options = await send({ method: 'OPTIONS', headers: { origin } });
    expect([options.status, options.headers['access-control-allow-origin']]).toEqual([204, origin]);

    await sandbox.asleep();
    const [first = '', second = ''] = values;
    const woken = await send({ headers: { cookie: `${parameter}=${first}` } });
    expect([woken.status, woken.text]).toEqual([200, 'port /']);
    await api.delete(`${previews('previewed')}/site/tokens/${first}`);
    await expect.poll(async () => (await send({ headers: { [tokenHeader]: first } })).status).toBe(401);
    expect((await send({ headers: { [tokenHeader]: second } })).status).toBe(200);

    const inner = await preview('previewed', 'inner', { port: 4001, public: true });
    expect((await send({}, inner)).status).toBe(502);
    await api.delete(`${previews('previewed')}/site`);
    await expect.poll(async () => (await send({})).status).toBe(404);
    expect(await preview('previewed', 'site', { port: 4000, public: true })).toBe(host);
    expect((await send({})).text).toBe('port /');
    await api.delete('/sandboxes/previewed');
    await expect.poll(async () => (await send({})).status).toBe(404);
  });

  test.concurrent('wire check 12: a page of another origin uses a session, awake and after sleep, until it expires', async ({
    expect,
  }) => {
    const sandbox = await bedOf().create('sessions');
    const begin = async (name: string, expires: string) => {
      const host = await preview('sessions', name, { port: 443, expires });
      const value = await token('sessions', name, expires);
      const headers = { origin, [tokenHeader]: value, 'content-type': 'application/json' };
      return { host, headers, send: (asked: HostRequest) => sendToHost(gateway(), host, { headers, ...asked }) };
    };
    const { host, headers, send } = await begin('session-long', inAnHour());
    const expires = new Date(Date.now() + 15_000).toISOString();
    const brief = await begin('session-brief', expires);
    expect((await brief.send({ path: '/filesystem//tmp' })).status).toBe(200);

    const walk = async (file: string) => {
      const preflight = await send({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PUT' } });
      expect(preflight.status).toBe(204);
      expect(preflight.headers['access-control-allow-headers']).toContain(tokenHeader);
      const stop = new AbortController();
      const watch = await openAtHost(gateway(), host, { path: '/watch/filesystem//tmp', headers, signal: stop.signal });
      expect([watch.statusCode, watch.headers['access-control-allow-origin']]).toEqual([200, '*']);
      const lines = createInterface({ input: watch });
      for (const each of [watch, lines]) each.on('error', () => {});
      const seen = (async () => {
        for await (const line of lines) if (line.includes(file)) return line;
        return '';
      })();
      const written = await send({ method: 'PUT', path: `/filesystem//tmp/${file}`, body: '{"content": "x"}' });
      expect(written.status).toBe(200);
      expect(await seen).toContain(file);
      stop.abort();
      expect((await send({ path: '/filesystem//tmp' })).text).toContain(file);
      const body = JSON.stringify({ command: 'for i in 1 2 3; do echo line $i; sleep 0.2; done' });
      const streamed = await send({
        method: 'POST',
        path: '/process',
        body,
        headers: { ...headers, accept: 'text/event-stream' },
      });
      for (const line of ['line 1', 'line 2', 'line 3']) expect(streamed.text).toContain(line);
    };
    await walk('awake.txt');
    expect((await send({ method: 'POST', path: '/upgrade', body: '{}' })).status).toBe(403);
    await sandbox.asleep();
    await walk('woken.txt');
    await sleep(Math.max(0, Date.parse(expires) - Date.now()) + 200);
    const over = await brief.send({ path: '/filesystem//tmp' });
    expect([over.status, over.headers['access-control-allow-origin']]).toEqual([401, '*']);
  });
}
