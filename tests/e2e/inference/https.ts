// The same addresses at a gateway that terminates TLS itself.
import { once } from 'node:events';
import { type RequestOptions, request as send } from 'node:https';
import { expect, test } from 'vitest';
import { clientOf } from '../../harness/workloads.ts';
import { callerTo, headerOf } from './caller.ts';
import type { Site } from './site.ts';

export function httpsTests(site: () => Site): void {
  /** Opens a request by path, or by host name if one is given; the certificate is checked against the name. */
  const open = (path: string, host?: string, headers: Record<string, string> = {}) => {
    const { secure, fleet } = site();
    const { hostname, port } = new URL(secure.url);
    const named: RequestOptions = host === undefined ? {} : { servername: host };
    const all = { authorization: `Bearer ${fleet.key}`, ...(host === undefined ? {} : { host }), ...headers };
    return send({ hostname, port, path, ca: secure.ca, headers: all, ...named });
  };
  const hostOf = async () => new URL((await clientOf(site().fleet).get('/agents/echo')).body.metadata.url).host;

  test('by path and by host, and the workload is told that it was https', async () => {
    const call = callerTo({ ...site().secure, key: site().fleet.key });
    const { status, body } = await call('/main/agents/echo/x');
    expect([status, body.url, headerOf(body.headers, 'x-forwarded-proto')]).toEqual([200, '/x', 'https']);
    const host = await hostOf();
    const outgoing = open('/by/host', host).end();
    const [incoming] = await once(outgoing, 'response');
    const echoed = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
    expect([incoming.statusCode, echoed.url]).toEqual([200, '/by/host']);
    expect(headerOf(echoed.headers, 'x-forwarded-proto')).toBe('https');
    expect(headerOf(echoed.headers, 'x-forwarded-host')).toBe(host);
  });

  test('a client that does not trust the authority gets no answer', async () => {
    const call = callerTo({ url: site().secure.url, key: site().fleet.key });
    await expect(call('/main/agents/echo/x')).rejects.toThrow(/self.signed/);
  });

  test.for(['path', 'host'] as const)('the first event is there before the second is sent, by %s', async (form) => {
    // The second event would come after the test has ended.
    const rest = '/events?count=2&pause=600000';
    const outgoing = form === 'path' ? open(`/main/agents/echo${rest}`) : open(rest, await hostOf());
    outgoing.end();
    const [incoming] = await once(outgoing, 'response');
    const [first] = await once(incoming, 'data');
    expect(String(first)).toBe('data: 0\n\n');
    outgoing.on('error', () => {}).destroy();
  });

  test('a WebSocket passes both ways', async () => {
    const key = 'dGhlIHNhbXBsZSBub25jZQ==';
    const outgoing = open('/main/agents/echo/ws', undefined, {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key },
    });
    outgoing.end();
    const [incoming, socket] = await once(outgoing, 'upgrade');
    // RFC 6455 §1.3 gives the accept value for this key.
    expect([incoming.statusCode, incoming.headers['sec-websocket-accept']]).toEqual([
      101,
      's3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
    ]);
    // A text frame with a mask of zeroes, which leaves the text unchanged.
    socket.write(Buffer.from([0x81, 0x85, 0, 0, 0, 0, ...Buffer.from('hello')]));
    const [frame] = await once(socket, 'data');
    expect(frame).toEqual(Buffer.from([0x81, 5, ...Buffer.from('hello')]));
    socket.destroy();
  });
}
