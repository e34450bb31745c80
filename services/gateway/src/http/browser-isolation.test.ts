import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isolateCookie, isolateResponse } from './browser-isolation.ts';

const ownHost = { domain: undefined, path: '' };
const customers = { domain: 'shop.example.com', path: '' };
const shared = { domain: undefined, path: '/main/agents/a' };

describe('a cookie', () => {
  test.each([
    ['a=b; Domain=.preview.example.org; Secure', 'a=b; Secure'],
    ['a=b;DOMAIN = example.org;Path=/', 'a=b;Path=/'],
    ['a=b; Path=/;\tdomain=x; domain=y; HttpOnly', 'a=b; Path=/; HttpOnly'],
    ['a=Domain=x; Max-Age=1', 'a=Domain=x; Max-Age=1'],
    ['a=b; Domain', 'a=b'],
  ])('of a host below the deployment’s domain stays with that host: %s', (sent, kept) => {
    expect(isolateCookie(sent, ownHost)).toBe(kept);
  });

  test.each(['shop.example.com', '.Shop.example.com', 'beta.shop.example.com'])(
    'of a customer’s domain may be shared within it: %s',
    (domain) => {
      expect(isolateCookie(`a=b; Domain=${domain}`, customers)).toBe(`a=b; Domain=${domain}`);
    },
  );

  test.each(['example.com', 'com', 'xshop.example.com', 'shop.example.com.evil.org', ''])(
    'and not beyond: %j',
    (domain) => {
      expect(isolateCookie(`a=b; Domain=${domain}; Secure`, customers)).toBe('a=b; Secure');
    },
  );

  test.each([
    ['a=b', '/main/agents/a'],
    ['a=b; Path=/', '/main/agents/a'],
    ['a=b; Path=/main/agents/ab', '/main/agents/a'],
    ['a=b; Path=/main/agents/a/login', '/main/agents/a/login'],
    ['a=b; Path=/main/agents/a; path=/other/agents/b', '/main/agents/a'],
  ])('on a shared host stays below the path of its workload: %s', (sent, path) => {
    expect(isolateCookie(sent, shared)).toBe(`a=b; Path=${path}`);
  });

  test('that stays within its host and path is not changed', () => {
    const attribute = fc.constantFrom(
      ' Secure',
      'HttpOnly',
      ' SameSite=None',
      ' Max-Age=5',
      ' Path=/x',
      ' Partitioned',
    );
    fc.assert(
      fc.property(fc.array(attribute), (attributes) => {
        const cookie = ['name=va=lue', ...attributes].join(';');
        expect(isolateCookie(cookie, ownHost)).toBe(cookie);
      }),
    );
  });
});

test("a document on a shared host has its own origin, in addition to its workload's policies", () => {
  const raw = ['Content-Type', 'text/html', 'content-security-policy', "default-src 'self'"];
  expect(isolateResponse(raw, ownHost)).toEqual(raw);
  const [name, policy = ''] = isolateResponse(raw, shared).slice(raw.length);
  expect(name).toBe('Content-Security-Policy');
  expect(policy).toMatch(/^sandbox .*allow-scripts/);
  expect(policy).not.toContain('allow-same-origin');
  expect(isolateResponse(raw, shared).slice(0, raw.length)).toEqual(raw);
});

test('headers about the whole origin are removed on a shared host and kept elsewhere', () => {
  const raw = ['Clear-Site-Data', '"*"', 'NEL', '{}', 'Report-To', '{}', 'Alt-Svc', 'clear', 'X-Own', '1'];
  expect(isolateResponse(raw, ownHost)).toEqual(raw);
  expect(isolateResponse(raw, shared).slice(0, -2)).toEqual(['X-Own', '1']);
});
