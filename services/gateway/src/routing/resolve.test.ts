import { triggerPathFault } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostHeader, hostIn } from './host.ts';
import { ownHosts } from './own-hosts.ts';
import { resolve } from './resolve.ts';

const workloadDomain = 'Example.org';
const settings = { workloadDomain, isOwnHost: ownHosts({ hosts: undefined, workloadDomain, listensOn: '10.0.0.9' }) };
const at = (rawTarget: string, host = 'run.example.org') => resolve({ host, rawTarget }, settings);

describe('a path names a workload', () => {
  test.each([
    ['/main/agents/a', { workspace: 'main', kind: 'agent', name: 'a', path: '/' }],
    ['/main/functions/a/mcp', { workspace: 'main', kind: 'function', name: 'a', path: '/mcp' }],
    ['/main/agents/a/', { workspace: 'main', kind: 'agent', name: 'a', path: '/' }],
    ['/main/agents/a?x=1/2', { workspace: 'main', kind: 'agent', name: 'a', path: '/?x=1/2' }],
    ['/main/agents/a//b/../%2F%2e?', { workspace: 'main', kind: 'agent', name: 'a', path: '//b/../%2F%2e?' }],
    ['/main/sandboxes/a/x', { workspace: 'main', kind: 'sandbox', name: 'a', path: '/x' }],
    ['/main/sandboxes/a//x%2F', { workspace: 'main', kind: 'sandbox', name: 'a', path: '//x%2F' }],
    ['/main/agents/%61', { workspace: 'main', kind: 'agent', name: '%61', path: '/' }],
    ['//agents/a/agents/b', { workspace: '', kind: 'agent', name: 'a', path: '/agents/b' }],
  ])('%s', (target, route) => {
    expect(at(target)).toEqual({ by: 'path', ...route });
  });

  test('and what follows the name survives byte for byte', () => {
    const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(visible, (rest) => {
        expect(at(`/main/agents/a/${rest}`)).toMatchObject({ by: 'path', path: `/${rest}` });
        expect(at(`/main/agents/a?${rest}`)).toMatchObject({ by: 'path', path: `/?${rest}` });
        expect(at(`/${rest}`, 'agt-a-main.eu.example.org')).toMatchObject({ by: 'host', path: `/${rest}` });
      }),
    );
  });
});

describe('paths name workloads on the gateway’s own hosts alone:', () => {
  const path = '/evil/agents/pwn/x.html';
  const ours = ['run.example.org', 'example.org', 'localhost', '127.0.0.1', '127.3.2.1', '[::1]', '10.0.0.9'];
  const spellings = (host: string) => [host, host.toUpperCase(), `${host}:8443`, `${host}.`, `${host}.:80`];

  test.each(ours.flatMap(spellings))('%s is one', (host) => {
    expect(at(path, host)).toMatchObject({ by: 'path', workspace: 'evil', name: 'pwn' });
  });

  test.each(['app.victim.com', 'run.example.org.victim.com', 'xrun.example.org.co'].flatMap(spellings))(
    'the path of %s belongs to the customer’s own workload',
    (host) => {
      expect(at(path, host)).toMatchObject({ by: 'preview', region: '', path });
    },
  );

  test.each(['10.0.0.1', 'x.run.example.org', 'localhost.example.org', '127.0.0.1.nip', '128.0.0.1', '[::2]', 'bench'])(
    'at %s nobody answers',
    (host) => {
      const route = () => at(path, host);
      if (host === '127.0.0.1.nip') expect(route()).toMatchObject({ by: 'preview', region: '' });
      else expect(route).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }));
    },
  );

  test('those that the operator lists, in any spelling, are in place of the ones below the domain', () => {
    const isOwnHost = ownHosts({
      hosts: ['GW.corp.example.', '203.0.113.5', 'fd00::1'],
      workloadDomain,
      listensOn: '::',
    });
    for (const host of ['gw.corp.example', '203.0.113.5', '[fd00::1]', 'localhost']) expect(isOwnHost(host)).toBe(true);
    for (const host of ['run.example.org', 'example.org', 'corp.example', 'fd00::1'])
      expect(isOwnHost(host)).toBe(false);
  });
});

describe('a host names a workload', () => {
  test.each([
    'agt-a-main.eu.example.org',
    'AGT-A-Main.EU.example.org:8443',
    'agt-a-main.eu.example.org.',
    'agt-a-main.eu.example.org.:80',
  ])('%s', (host) => {
    expect(at('/main/agents/b?x', host)).toEqual({
      by: 'host',
      region: 'eu',
      label: 'agt-a-main',
      path: '/main/agents/b?x',
    });
  });

  test('of a sandbox', () => {
    const route = { by: 'host', region: 'eu', label: 'sbx-a-main', path: '/port/1//x' };
    expect(at('/port/1//x', 'sbx-a-main.eu.example.org')).toEqual(route);
  });

  test.each(['agt-a.example.org', 'agt-a.b.eu.example.org', 'xyz-a.eu.example.org', 'agt-.eu.example.org'])(
    'but not %s, which is nobody’s',
    (host) => {
      expect(() => at('/main/agents/b', host)).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }));
    },
  );
});

describe('a host names a preview', () => {
  test.each(['0123abcd.eu.preview.example.org', 'Shop-Main.EU.preview.example.org:8443'])('%s', (host) => {
    expect(at('/main/agents/b?x', host)).toMatchObject({ by: 'preview', region: 'eu', path: '/main/agents/b?x' });
  });

  test('also below a domain of a customer, where the whole host is its label', () => {
    expect(at('/a', 'Beta.shop.example.com')).toEqual({
      by: 'preview',
      region: '',
      label: 'beta.shop.example.com',
      path: '/a',
    });
  });

  test.each([
    'preview.example.org',
    'eu.preview.example.org',
    'a.b.eu.preview.example.org',
    'a-.eu.preview.example.org',
    '10.0.0.1',
    'localhost',
  ])('but not %s', (host) => {
    expect(() => at('/', host)).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }));
  });
});

describe('a path that no other form has names a trigger', () => {
  test.each([
    ['/main/hooks/orders', 'main', 'hooks/orders', true],
    ['/main/hooks?x=/y', 'main', 'hooks', true],
    ['/main/hooks/', 'main', 'hooks', false],
    ['/main/a/../%2e//b', 'main', 'a', false],
    ['/main/a/b/c/d/e?x', 'main', 'a/b/c/d', false],
    ['/main/%61/b', 'main', '%61/b', true],
    ['/agents/a', 'agents', 'a', true],
    ['/x/main/agents/a', 'x', 'main/agents/a', true],
    ['/main/agentsx', 'main', 'agentsx', true],
  ])('%s', (target, workspace, name, isWhole) => {
    const rest = target.slice(workspace.length + 2);
    expect(at(target)).toEqual({ by: 'trigger', workspace, name, isWhole, target: rest });
  });

  test('on the gateway’s own hosts alone', () => {
    expect(at('/main/hooks', 'shop.example.com')).toMatchObject({ by: 'preview' });
    expect(at('/main/hooks', 'agt-a-main.eu.example.org')).toMatchObject({ by: 'host' });
    expect(() => at('/main/hooks', '10.0.0.1')).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }));
  });

  test('and every good path of a trigger is resolved to itself', () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9._-]{1,10}$/);
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
        const name = segments.join('/');
        fc.pre(triggerPathFault(name) === undefined);
        for (const query of ['', '?', '?a=/b'])
          expect(at(`/main/${name}${query}`)).toMatchObject({ by: 'trigger', workspace: 'main', name, isWhole: true });
      }),
    );
  });
});

test.each([
  ['/main/models/a', '/'],
  ['/main/models/a/v1/chat/completions?x=1', '/v1/chat/completions?x=1'],
  ['/main/models/a?key=b', '/?key=b'],
])('%s names a model, on the gateway’s own hosts alone', (target, path) => {
  expect(at(target)).toEqual({ by: 'model', address: { workspace: 'main', name: 'a' }, path });
  expect(at(target, 'app.victim.com')).toMatchObject({ by: 'preview' });
  const address = { region: 'eu', label: 'mdl-a-main' };
  expect(at(path, 'mdl-a-main.eu.example.org')).toEqual({ by: 'model', address, path });
});

test.each([
  ...['/', '/main', '/main/', '/main?/x', '//hooks', '/-/hooks', '/main/agents', '/main/agents?/a/b'],
  ...['/main/models', '/main/jobs/a/executions', '/main/-/a', '/main/-a'],
])('%s is no route', (target) => {
  expect(() => at(target)).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }));
});

test.each([
  'http://run.example.org/main/agents/a',
  '*',
  '',
  'main/agents/a',
  '/main/agents/a b',
  '/main/agents/ü',
  '/a\n',
])('the target %j is a bad request', (target) => {
  expect(() => at(target)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
});

test.each([
  undefined,
  '',
  'a b',
  'user@host',
  'host/path',
  'host:port',
  'host:123456',
  '.host',
  `${'a'.repeat(256)}`,
  'ü.org',
])('the host %j is a bad request', (host) => {
  expect(hostIn(host)).toBeUndefined();
  expect(() => resolve({ host, rawTarget: '/main/agents/a' }, settings)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST' }),
  );
});

test('a request has exactly one host', () => {
  expect(hostHeader(['Accept', '*', 'HOST', 'a'])).toBe('a');
  expect(hostHeader(['Host', 'a', 'host', 'a'])).toBeUndefined();
  expect(hostHeader(['Accept', '*'])).toBeUndefined();
});

test('addresses and names are hosts', () => {
  expect(hostIn('127.0.0.1:8090')).toBe('127.0.0.1');
  expect(hostIn('[::1]:8090')).toBe('[::1]');
  expect(hostIn('LocalHost')).toBe('localhost');
});
