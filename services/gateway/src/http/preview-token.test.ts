import { defaultBrand } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { previewCookie, previewCredentials, withoutPreviewCookie, withoutPreviewToken } from './preview-token.ts';

const name = 'service_preview_token';
const found = (raw: string[], path = '/') =>
  previewCredentials(raw, path, defaultBrand).map(({ value, from }) => `${from} ${value}`);

test('a token is looked for in the header, then in the query, then in cookies', () => {
  const raw = ['cookie', `a=b; ${name}=c3`, 'x-SERVICE-preview-token', 'h1'];
  expect(found(raw, `/p?x=1&${name}=q2`)).toEqual(['header h1', 'query q2', 'cookie c3']);
});

test('a value that does not have the form of a token is ignored', () => {
  const wrong = ['', 'a b', 'a.b', 'ü', 'x'.repeat(129)];
  for (const value of wrong) expect(found(['X-Service-Preview-Token', value])).toEqual([]);
});

test('a parameter with a percent-encoded name is found and removed', () => {
  const path = `/?a=1&servic%65_preview_token=abc&b=2`;
  expect(found([], path)).toEqual(['query abc']);
  expect(withoutPreviewToken(path, defaultBrand)).toBe('/?a=1&b=2');
  expect(withoutPreviewToken(`/?${name}=abc`, defaultBrand)).toBe('/');
  expect(withoutPreviewToken(`/?${name}`, defaultBrand)).toBe('/');
});

test('the rest of the path and the other cookies stay byte for byte', () => {
  const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  fc.assert(
    fc.property(visible, visible, (before, after) => {
      const path = `/${before.replaceAll('?', '')}?${after}`;
      fc.pre(!path.includes('preview'));
      expect(withoutPreviewToken(path, defaultBrand)).toBe(path);
      expect(withoutPreviewToken(`${path}&${name}=secret`, defaultBrand)).toBe(path);
      const cookies = `a=${before.replaceAll(/[;\s]/g, '')}`;
      expect(withoutPreviewCookie(cookies, defaultBrand)).toBe(cookies);
      expect(withoutPreviewCookie(`${name}=secret; ${cookies}`, defaultBrand)).toBe(cookies);
    }),
  );
});

test('a Cookie header without other cookies is dropped', () => {
  expect(withoutPreviewCookie(`${name}=a`, defaultBrand)).toBeUndefined();
  expect(withoutPreviewCookie(` ${name}=a ;  ${name}=b`, defaultBrand)).toBeUndefined();
});

test('U-16: the cookie is for this host alone, not for scripts, also inside other sites, and ends with the token', () => {
  expect(previewCookie('abc', 1_500, defaultBrand)).toBe(
    `${name}=abc; Max-Age=2; Path=/; HttpOnly; Secure; SameSite=None; Partitioned`,
  );
});
