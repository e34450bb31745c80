// Requests to a sandbox, generated from its own description: valid ones, and ones that no client should send.
import { type GuestOperation, type GuestRoute, guestOperations, guestRoutes } from '@berth/contract/guest';
import fc, { type Arbitrary } from 'fast-check';
import { arbitraryOf } from '../../../../tests/e2e/fuzz/arbitrary-of.ts';
import { hostileText, mutate, mutation, nonsense } from '../../../../tests/e2e/fuzz/nonsense.ts';

export type GuestFuzzRequest = {
  id: GuestRoute['id'];
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
};

const encode = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');

// Paths of existing files, missing files, files of root and special files; and words that are hardly paths.
const paths = [
  ...['tmp/fuzz', 'tmp/fuzz/a', 'tmp/fuzz/b', 'tmp/fuzz/c/d', 'tmp/fuzz/link', 'tmp/fuzz/pipe', 'home/node', 'tmp'],
  ...[
    'etc/passwd',
    'etc/shadow',
    'root',
    'root/secret',
    'proc/1/environ',
    'proc/self/mem',
    'dev/zero',
    'dev/full',
    'sys',
  ],
  ...[
    '../../../etc/shadow',
    'tmp/../root/secret',
    './././',
    '.berth/init',
    'var/lib/sandbox/state',
    '*',
    '%',
    '%zz',
    '%00',
  ],
  ...[
    '%ff%fe',
    '%2e%2e%2froot',
    `${'a/'.repeat(300)}`,
    'x'.repeat(300),
    '**',
    '~',
    '~/x',
    '~root',
    'a%0ab',
    'con%20fig',
  ],
];
const beginnings = ['/', '//', '/%2F', '%2F', '/~/', '', '///', '/./', '%2f%2f'];
const anyPath = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...beginnings), fc.constantFrom(...paths)).map((both) => both.join('')),
  },
  { weight: 1, arbitrary: hostileText.map((text) => `/${encode(text.slice(0, 100))}`) },
);
const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('fuzz-a', 'fuzz-b', '1', '2', '40', '999999', '-1', '0') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%00', '%', '..', 'a%2Fb', 'x'.repeat(300), '__proto__', '1e3', '%F0%9F%92%A5'),
  },
  { weight: 1, arbitrary: hostileText.map((text) => encode(text.slice(0, 60)) || 'x') },
);

function pathOf(route: GuestRoute): Arbitrary<string> {
  const parts = route.path.split(/(\{[^}]+\})/).map((part) => {
    if (part === '{path*}') return anyPath;
    return part.startsWith('{') ? segment : fc.constant(part);
  });
  return fc.tuple(...parts).map((words) => words.join(''));
}

const oddValue = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    '1.5',
    'true',
    'false',
    'yes',
    ',',
    'a,b',
    '*',
    '[',
    '(',
    '../..',
    '%',
    '9'.repeat(40),
  ),
  hostileText.map((text) => text.slice(0, 500)),
);

function queryOf({ query = {} }: GuestOperation): Arbitrary<string> {
  const names = Object.keys(query);
  const name =
    names.length === 0
      ? fc.constantFrom('x', 'a[]')
      : fc.oneof(fc.constantFrom(...names), fc.constantFrom('x', '__proto__'));
  const value = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('1', '2', '10', 'true', 'false', 'file', 'directory', 'a', 'text/plain') },
    { weight: 1, arbitrary: oddValue },
  );
  const pair = fc.tuple(name, value).map(([key, word]) => `${encode(key)}=${encode(word)}`);
  return fc.array(pair, { maxLength: 3 }).map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
}

// Commands that end soon and harm nothing: the guest is under test, not the shell.
const commands = [
  'true',
  'echo hi',
  'exit 3',
  'cat /root/secret',
  'no-such-program',
  'sleep 0.05',
  'ls /root',
  'head -c 100000 /dev/zero',
];
const toolCalls = ['tools/list', 'tools/call', 'initialize', 'ping', 'nonsense', 'notifications/initialized'];

/** Limits commands and restarts: a process that restarts without end would still run when the last request is sent. */
function tamed(value: unknown, pick: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const tame: Record<string, unknown> = { ...value };
  if (typeof tame.command === 'string' && pick % 10 > 0) tame.command = commands[pick % commands.length];
  if (typeof tame.restartOnFailure === 'boolean') tame.maxRestarts = pick % 2;
  if (typeof tame.name === 'string' && pick % 3 > 0) tame.name = pick % 2 ? 'fuzz-a' : 'fuzz-b';
  return tame;
}

function jsonOf({ body }: GuestOperation, id: GuestRoute['id']): Arbitrary<unknown> {
  if (id === 'mcp') {
    const call = fc.record({
      jsonrpc: fc.constantFrom('2.0', '2.0', '1.0'),
      id: fc.oneof(fc.nat(), fc.string()),
      method: fc.constantFrom(...toolCalls),
    });
    return fc
      .tuple(
        call,
        fc.oneof(
          nonsense,
          fc.record({
            name: fc.constantFrom('fsReadFile', 'processExecute', 'fsListDirectory', 'x'),
            arguments: nonsense,
          }),
        ),
      )
      .map(([known, params]) => ({ ...known, params }));
  }
  if (body === undefined || body === 'upload') return fc.constant({});
  return fc.tuple(arbitraryOf(body.json as never), fc.nat()).map(([value, pick]) => tamed(value, pick));
}

function bodyOf(operation: GuestOperation, route: GuestRoute): Arbitrary<Pick<GuestFuzzRequest, 'body' | 'headers'>> {
  if (route.method === 'GET') return fc.constant({ body: undefined, headers: {} });
  const valid = jsonOf(operation, route.id);
  const form = Buffer.from(
    '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n--x--\r\n',
  );
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const asJson = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value) ?? 'null'), headers });
  return fc.oneof(
    { weight: 5, arbitrary: valid.map(asJson) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 2 }))
        .map(([value, changes]) => asJson(tamed(mutate(value, changes), 1))),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', '{', '[]', 'null', '"text"', '[1', '\0', '{"a":1}{')
        .map((text) => ({ body: Buffer.from(text), headers })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.nat(form.length),
          fc.constantFrom('multipart/form-data; boundary=x', 'multipart/form-data', 'multipart/form-data; boundary=y'),
        )
        .map(([cut, type]) => ({
          body: form.subarray(0, cut % 2 ? cut : form.length),
          headers: { 'content-type': type },
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ maxLength: 300 })
        .map((bytes) => ({ body: Buffer.from(bytes), headers: { 'content-type': 'text/plain' } })),
    },
  );
}

const oddHeaders = fc.constantFrom<Record<string, string>>(
  ...[
    {},
    {},
    {},
    { range: 'bytes=0-1' },
    { range: 'bytes=9-1,,' },
    { accept: 'text/html' },
    { accept: '*/*' },
    { 'x-request-id': 'a"b' },
  ],
  ...[
    { 'if-none-match': '*' },
    { 'if-modified-since': 'never' },
    { authorization: 'Runner issuedAtMs=1,nonce=a,signature=b' },
    { origin: 'null' },
  ],
);

export const guestFuzzRequest: Arbitrary<GuestFuzzRequest> = fc
  .constantFrom<GuestRoute>(...guestRoutes)
  .chain((route) => {
    const operation = guestOperations[route.id as keyof typeof guestOperations];
    return fc
      .record({ path: pathOf(route), query: queryOf(operation), sent: bodyOf(operation, route), odd: oddHeaders })
      .map(({ path, query, sent, odd }) => ({
        id: route.id,
        method: route.method,
        path: `${path}${query}` || '/',
        headers: { ...sent.headers, ...odd },
        body: sent.body,
      }));
  });
