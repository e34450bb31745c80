import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callAddress, keyHeaderValue, keyNameOf, providerAddress, providerKey } from './connection-key.ts';
import { providers } from './registry.ts';

const xai = { name: 'xai' };
const own = {};

describe('the key of a provider', () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ['API_KEY', { API_KEY: 'a', XAI_API_KEY: 'b', OTHER: 'c' }, 'a'],
    ['the name of the provider', { XAI_API_KEY: 'b', OTHER: 'c' }, 'b'],
    ['the only entry', { OTHER: 'c' }, 'c'],
    ['none of several entries', { OTHER: 'c', ANOTHER: 'd' }, undefined],
    ['none of another provider', { OPENAI_API_KEY: 'c', ANOTHER: 'd' }, undefined],
    ['nothing in an empty secret', {}, undefined],
    ['the next entry where the first is empty', { API_KEY: '', XAI_API_KEY: 'b' }, 'b'],
    ['a pasted key without its line break', { API_KEY: ' a\r\n' }, 'a'],
    ['no key that cannot stand in a header', { API_KEY: 'a\nx-injected: 1' }, undefined],
    ['no key in another script', { API_KEY: 'schlüssel' }, undefined],
  ])('is %s', (_what, secret, expected) => {
    expect(providerKey(xai, secret)).toBe(expected);
  });

  test('has a name of upper-case letters, digits and underscores', () => {
    expect(['openai', 'azure-openai-service', 'hf_private_endpoint'].map((name) => keyNameOf({ name }))).toEqual([
      'OPENAI_API_KEY',
      'AZURE_OPENAI_SERVICE_API_KEY',
      'HF_PRIVATE_ENDPOINT_API_KEY',
    ]);
    fc.assert(fc.property(fc.string(), (name) => /^[A-Z0-9_]*_API_KEY$/.test(keyNameOf({ name }))));
  });

  test('is a value of the secret, and can stand in a header', () => {
    const names = fc.oneof(fc.constantFrom('API_KEY', 'XAI_API_KEY', '__proto__', 'constructor'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(names, fc.string()), (secret) => {
        const key = providerKey(xai, secret);
        if (key === undefined) return;
        expect(Object.values(secret).map((value) => value.trim())).toContain(key);
        expect(new Headers([['authorization', keyHeaderValue('authorization', key)]]).get('authorization')).toBe(
          `Bearer ${key}`,
        );
      }),
    );
  });
});

describe('the address of a provider', () => {
  test.each([
    ['https://models.example', 'https://models.example'],
    ['https://models.example/', 'https://models.example'],
    ['http://models.example:8000/base/path//', 'http://models.example:8000/base/path'],
    [' https://models.example\n', 'https://models.example'],
    ['HTTPS://Models.Example:443/Base', 'https://models.example/Base'],
    ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
  ])('%j is %s', (address, expected) => {
    expect(providerAddress(own, { BASE_URL: address })).toBe(expected);
  });

  test.each([
    '',
    'models.example',
    '//models.example',
    'ftp://models.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'https://user@models.example',
    'https://user:password@models.example',
    'https://:password@models.example',
    'https://models.example/?a=b',
    'https://models.example/?',
    'https://models.example/#a',
    'https://models.example/#',
  ])('%j is refused', (address) => {
    expect(providerAddress(own, { BASE_URL: address })).toBeUndefined();
  });

  test('is missing where no address is given', () => {
    expect(providerAddress(own, {})).toBeUndefined();
    expect(providerAddress(own, { base_url: 'https://models.example' })).toBeUndefined();
  });

  test('of a provider with an address of its own is that one, whatever the connection says', () => {
    for (const provider of providers.filter(({ baseUrl }) => baseUrl !== undefined))
      expect(providerAddress(provider, { BASE_URL: 'https://elsewhere.example' })).toBe(provider.baseUrl);
  });

  test('is the operator’s own where there is one, without a slash at its end', () => {
    const provider = { name: 'xai', baseUrl: 'https://api.example' };
    expect(callAddress(provider, {}, { xai: 'http://inside.example/xai//' })).toBe('http://inside.example/xai');
    expect(callAddress(provider, {}, { openai: 'http://inside.example' })).toBe('https://api.example');
  });

  test('begins with http, and has no user, query, fragment or slash at its end', () => {
    const text = fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string());
    fc.assert(
      fc.property(text, (address) => {
        const found = providerAddress(own, { BASE_URL: address });
        if (found === undefined) return;
        expect(found).toMatch(/^https?:\/\/[^?#]*[^/?#]$/);
        const { username, password } = new URL(found);
        expect([username, password]).toEqual(['', '']);
        expect(providerAddress(own, { BASE_URL: found })).toBe(found);
      }),
      { numRuns: 300 },
    );
  });
});
