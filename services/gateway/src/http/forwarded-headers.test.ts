import { defaultBrand } from '@berth/contract';
import { trustedProxies } from '@berth/identity';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { servedKinds } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import { type Forwarding, forwardedHeaders } from './forwarded-headers.ts';
import { withoutPlatformHeaders } from './platform-headers.ts';

const forwarding: Forwarding = {
  brand: defaultBrand,
  workload: { name: 'a', workspace: 'main' },
  rules: workloadKinds.agent.headers,
  principal: { subject: 'user-1', subjectType: 'user' },
  consumed: 'authorization',
  peer: { address: '203.0.113.9', isTls: true, isTrusted: false },
  requestId: 'req-1',
  traceparent: '00-a-b-01',
};

const headersOf = (raw: string[], changes: Partial<Forwarding> = {}): [string, string][] => {
  const flat = forwardedHeaders(raw, { ...forwarding, ...changes });
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? '']);
};
const valuesOf = (headers: [string, string][], name: string): string[] =>
  headers.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

const added: [string, string][] = [
  ['X-Forwarded-For', '203.0.113.9'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Host', 'run.example.org'],
  ['X-Service-Workspace', 'main'],
  ['X-Service-Workload', 'a'],
  ['X-Service-Subject', 'user-1'],
  ['X-Service-Subject-Type', 'user'],
  ['X-Request-Id', 'req-1'],
  ['traceparent', '00-a-b-01'],
];

test('the workload receives headers that name the caller, the workload and the client address', () => {
  expect(headersOf(['Host', 'run.example.org'])).toEqual([['Host', 'run.example.org'], ...added]);
});

test('an anonymous caller has no subject headers', () => {
  const headers = headersOf(['Host', 'h'], { principal: undefined, consumed: undefined });
  expect(headers.filter(([name]) => name.startsWith('X-Service-Subject'))).toEqual([]);
});

test('ordinary headers keep their order, case and duplicates', () => {
  const name = fc.constantFrom(
    'Accept',
    'X-Custom',
    'x-custom',
    'Cookie',
    'Content-Type',
    'Service-Version',
    'tracestate',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
      expect(headersOf(['Host', 'run.example.org', ...pairs.flat()])).toEqual([
        ['Host', 'run.example.org'],
        ...pairs,
        ...added,
      ]);
    }),
  );
});

test('a preview token in a cookie or a referer reaches no workload of any kind', () => {
  const name = 'service_preview_token';
  const raw = ['Host', 'h', 'Cookie', `a=1; ${name}=x`, 'cookie', `${name}=x`, 'Referer', `https://h/p?a=1&${name}=x`];
  for (const kind of servedKinds) {
    const headers = headersOf(raw, { workload: { name: 'w', workspace: 'main' }, rules: workloadKinds[kind].headers });
    expect(headers.filter(([key = '']) => ['Cookie', 'cookie', 'Referer'].includes(key))).toEqual([
      ['Cookie', 'a=1'],
      ['Referer', 'https://h/p?a=1'],
    ]);
  }
});

test('a client cannot set a platform header in any spelling', () => {
  const spelled = fc
    .tuple(
      fc.constantFrom(
        'x-service-workspace',
        'x-service-workload',
        'x-service-subject',
        'x-service-subject-type',
        'x-service-anything',
        'x-service-authorization',
        'x-request-id',
        'traceparent',
        'x-forwarded-for',
        'x-forwarded-proto',
        'x-forwarded-host',
        'x-forwarded-port',
        'x-real-ip',
        'forwarded',
      ),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([name, isUpper, isUnderscored]) => {
      const cased = isUpper ? name.toUpperCase() : name;
      return isUnderscored ? cased.replaceAll('-', '_') : cased;
    });
  fc.assert(
    fc.property(fc.array(spelled), (names) => {
      const raw = ['Host', 'run.example.org', ...names.flatMap((name) => [name, 'forged'])];
      expect(headersOf(raw)).toEqual([['Host', 'run.example.org'], ...added]);
    }),
  );
});

describe('hop-by-hop headers', () => {
  test('are removed, with all headers that Connection names', () => {
    const raw = [
      ...['Host', 'run.example.org', 'Connection', 'keep-alive, X-Hop', 'Keep-Alive', 'timeout=5', 'X-Hop', '1'],
      ...['Proxy-Authorization', 'Basic x', 'Proxy-Connection', 'keep-alive', 'Proxy-Anything', 'x', 'TE', 'gzip'],
      ...['Transfer-Encoding', 'chunked', 'Upgrade', 'websocket', 'Expect', '100-continue'],
    ];
    expect(headersOf(raw)).toEqual([['Host', 'run.example.org'], ...added]);
  });

  test('named by Connection do not include framing, addressing or platform headers', () => {
    const raw = [
      'Host',
      'h',
      'Content-Length',
      '3',
      'Connection',
      'host, content-length, x-service-subject, x-request-id',
    ];
    const headers = headersOf(raw);
    expect(valuesOf(headers, 'host')).toEqual(['h']);
    expect(valuesOf(headers, 'content-length')).toEqual(['3']);
    expect(valuesOf(headers, 'x-service-subject')).toEqual(['user-1']);
    expect(valuesOf(headers, 'x-request-id')).toEqual(['req-1']);
  });

  test('for upgrades and trailers are set again where they are wanted', () => {
    expect(valuesOf(headersOf(['TE', 'gzip, trailers']), 'te')).toEqual(['trailers']);
    const raw = ['Connection', 'keep-alive, Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Key', 'k'];
    const headers = headersOf(raw, { upgrade: 'websocket' });
    expect(valuesOf(headers, 'connection')).toEqual(['Upgrade']);
    expect(valuesOf(headers, 'upgrade')).toEqual(['websocket']);
    expect(valuesOf(headers, 'sec-websocket-key')).toEqual(['k']);
  });
});

test('the platform credential is removed, the other credential is forwarded', () => {
  const raw = ['Authorization', 'Basic own', 'X-Service-Authorization', 'Bearer key'];
  expect(valuesOf(headersOf(raw, { consumed: 'branded' }), 'authorization')).toEqual(['Basic own']);
  expect(valuesOf(headersOf(raw, { consumed: 'branded' }), 'x-service-authorization')).toEqual([]);
  expect(valuesOf(headersOf(['Authorization', 'Bearer key']), 'authorization')).toEqual([]);
  expect(valuesOf(headersOf(['Authorization', 'Bearer own'], { consumed: undefined }), 'authorization')).toEqual([
    'Bearer own',
  ]);
});

test('the thread id reaches only agents, the version reaches every kind', () => {
  const raw = ['X-Service-Thread-Id', 't', 'Service-Version', '2026-04-28'];
  expect(valuesOf(headersOf(raw), 'x-service-thread-id')).toEqual(['t']);
  const toFunction = headersOf(raw, {
    workload: { name: 'f', workspace: 'main' },
    rules: workloadKinds.function.headers,
  });
  expect(valuesOf(toFunction, 'x-service-thread-id')).toEqual([]);
  expect(valuesOf(toFunction, 'service-version')).toEqual(['2026-04-28']);
});

test("a trusted edge's client headers are kept, and the edge is the last address in X-Forwarded-For", () => {
  const raw = [
    'Host',
    'inside',
    'X-Forwarded-For',
    '198.51.100.1',
    'X-Forwarded-Proto',
    'https',
    'X-Forwarded-Host',
    'out',
    'X-Forwarded-Port',
    '443',
  ];
  const headers = headersOf(raw, { peer: { address: '::ffff:10.0.0.1', isTls: false, isTrusted: true } });
  expect(valuesOf(headers, 'host')).toEqual(['inside']);
  expect(valuesOf(headers, 'x-forwarded-for')).toEqual(['198.51.100.1, 10.0.0.1']);
  expect(valuesOf(headers, 'x-forwarded-proto')).toEqual(['https']);
  expect(valuesOf(headers, 'x-forwarded-host')).toEqual(['out']);
  expect(valuesOf(headers, 'x-forwarded-port')).toEqual(['443']);
});

test('a session id is replaced by the one that the workload knows', () => {
  expect(valuesOf(headersOf(['mcp-session-id', 's.hint'], { mcpSessionId: 's' }), 'mcp-session-id')).toEqual(['s']);
  expect(valuesOf(headersOf(['mcp-session-id', 's.hint']), 'mcp-session-id')).toEqual(['s.hint']);
});

test('only configured addresses are trusted', () => {
  const isTrusted = trustedProxies(['10.0.0.0/8', '::1', '192.0.2.7']);
  expect(['10.1.2.3', '::ffff:10.1.2.3', '::1', '192.0.2.7'].map(isTrusted)).toEqual([true, true, true, true]);
  expect(['11.0.0.1', '192.0.2.8', '::2', '', 'nonsense'].map(isTrusted)).toEqual(Array(5).fill(false));
  expect(trustedProxies([])('127.0.0.1')).toBe(false);
});

test("a workload's response carries no platform headers", () => {
  const raw = [
    'X-Service-Source',
    'platform',
    'x_service_error_code',
    'E',
    'X-SERVICE-Dispatch-State',
    'x',
    'X-Service-Thread-Id',
    't',
    'A',
    'b',
  ];
  expect(withoutPlatformHeaders(raw, defaultBrand)).toEqual(['X-Service-Thread-Id', 't', 'A', 'b']);
});

describe('to a sandbox', () => {
  const sandbox: Partial<Forwarding> = {
    workload: { name: 's', workspace: 'main' },
    rules: workloadKinds.sandbox.headers,
  };
  const behindPort: Partial<Forwarding> = { ...sandbox, target: { port: 3000, prefix: '/port/3000' } };

  test('the caller is named in the headers that its API reads, and copies of a client are removed', () => {
    const raw = ['Host', 'h', 'X-Subject-Id', 'forged', 'X_Subject_Type', 'forged', 'X-Service-Auth-Method', 'forged'];
    const headers = headersOf(raw, sandbox);
    expect(headers.flat()).not.toContain('forged');
    expect(valuesOf(headers, 'X-Service-Subject-Id')).toEqual(['user-1']);
    expect(valuesOf(headers, 'X-Service-Subject-Type')).toEqual(['user']);
    expect(valuesOf(headers, 'X-Service-Auth-Method')).toEqual(['api_key']);
    // A client may set these headers for an app behind a port: the platform gives them no meaning there.
    expect(valuesOf(headersOf(raw, behindPort), 'X-Subject-Id')).toEqual(['forged']);
  });

  test('U-36: Authorization never reaches its API, and reaches a port when it was not meant for us', () => {
    const raw = ['Host', 'h', 'Authorization', 'Basic x'];
    expect(valuesOf(headersOf(raw, { ...sandbox, consumed: 'branded' }), 'Authorization')).toEqual([]);
    expect(valuesOf(headersOf(raw, { ...behindPort, consumed: 'branded' }), 'Authorization')).toEqual(['Basic x']);
    expect(valuesOf(headersOf(raw, { ...behindPort, consumed: 'authorization' }), 'Authorization')).toEqual([]);
  });

  test('U-17: what was taken off the path is told behind a port, after what a trusted edge took off', () => {
    const raw = ['Host', 'h', 'X-Forwarded-Prefix', '/edge'];
    expect(valuesOf(headersOf(raw, behindPort), 'X-Forwarded-Prefix')).toEqual(['/port/3000']);
    const peer = { address: '10.0.0.1', isTls: false, isTrusted: true };
    expect(valuesOf(headersOf(raw, { ...behindPort, peer }), 'X-Forwarded-Prefix')).toEqual(['/edge/port/3000']);
    expect(valuesOf(headersOf(raw, sandbox), 'X-Forwarded-Prefix')).toEqual([]);
  });
});
