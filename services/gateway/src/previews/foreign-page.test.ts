import { describe, expect, test } from 'vitest';
import { isOfForeignPage } from './foreign-page.ts';

const host = 'abc.eu.preview.example.org';
const own = `https://${host}`;
const isForeign = (headers: Record<string, string>, changes: object = {}): boolean =>
  isOfForeignPage({
    ...{ method: 'POST', listed: ['https://console.example.com'], isApi: true },
    rawHeaders: Object.entries({ host, ...headers }).flat(),
    ...changes,
  });

describe('a state-changing request with only a cookie is refused', () => {
  test.each([
    ['from another site', { origin: 'https://evil.example' }],
    ['from a neighbour below the same domain', { origin: 'https://evil.eu.preview.example.org' }],
    ['from a neighbour that says no origin', { 'sec-fetch-site': 'same-site' }],
    ['from another site that says no origin', { 'sec-fetch-site': 'cross-site' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from a host that begins like it', { origin: `${own}.evil.example` }],
    ['from another port', { origin: `${own}:8443` }],
    ['from the same host over a connection that others can write to', { origin: own, 'sec-fetch-site': 'cross-site' }],
    ['from a form of an old browser', { 'content-type': 'text/plain;charset=utf-8' }],
  ])('%s', (_, headers) => {
    expect(isForeign(headers)).toBe(true);
  });

  test('for an upgrade with any method', () => {
    const upgrade = { upgrade: 'websocket', origin: 'https://evil.example' };
    expect(isForeign(upgrade, { method: 'GET' })).toBe(true);
    expect(isForeign({ ...upgrade, origin: own }, { method: 'GET' })).toBe(false);
  });

  test('with two Origin headers', () => {
    expect(isForeign({}, { rawHeaders: ['Host', host, 'Origin', own, 'Origin', 'https://evil.example'] })).toBe(true);
  });
});

describe('it passes', () => {
  test.each([
    ['from the preview’s own page', { origin: own, 'sec-fetch-site': 'same-origin' }],
    ['from a browser that says no site', { origin: own.toUpperCase().replace('HTTPS', 'https') }],
    ['through an edge that adds the port', { host: `${host}:443`, origin: own }],
    ['from an origin that the owner lists', { origin: 'https://console.example.com', 'sec-fetch-site': 'cross-site' }],
    ['typed by the visitor', { 'sec-fetch-site': 'none' }],
    ['from a program', { 'content-type': 'application/json' }],
    ['from a program without a type', {}],
  ])('%s', (_, headers) => {
    expect(isForeign(headers)).toBe(false);
  });

  test.each(['GET', 'HEAD', 'OPTIONS'])('when it only reads: %s', (method) => {
    expect(isForeign({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, { method })).toBe(false);
  });

  test('as a form sent to an app', () => {
    expect(isForeign({ 'content-type': 'application/x-www-form-urlencoded' }, { isApi: false })).toBe(false);
  });
});
