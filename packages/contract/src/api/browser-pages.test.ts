import { expect, test } from 'vitest';
import { defaultBrand } from './brand.ts';
import { BrowserOrigins, createPages } from './browser-pages.ts';

const asked = { method: 'GET', origin: 'https://app.example', requestMethod: undefined };

test('no page may read answers by default, and a program is asked nothing', () => {
  expect(createPages(BrowserOrigins.parse(undefined), defaultBrand)(asked)).toBeUndefined();
  expect(createPages(['*'], defaultBrand)({ ...asked, origin: undefined })).toBeUndefined();
});

test('an origin is allowed as a whole, and no other one', () => {
  const pages = createPages(['https://app.example'], defaultBrand);
  expect(pages(asked)?.headers).toMatchObject({ 'Access-Control-Allow-Origin': 'https://app.example' });
  for (const origin of ['http://app.example', 'https://app.example:8443', 'https://app.example.evil', 'null'])
    expect(pages({ ...asked, origin })).toBeUndefined();
});

test('a preflight names methods and headers, and never credentials of the browser', () => {
  const pages = createPages(['*'], defaultBrand);
  const { preflight, headers } = pages({ ...asked, method: 'OPTIONS', requestMethod: 'PUT' }) ?? {};
  expect(headers).toMatchObject({ 'Access-Control-Allow-Origin': '*' });
  expect(preflight?.['Access-Control-Allow-Headers']).toContain('Authorization');
  expect(preflight?.['Access-Control-Allow-Headers']).toContain('X-Service-Workspace');
  expect(Object.keys({ ...headers, ...preflight })).not.toContain('Access-Control-Allow-Credentials');
  expect(pages({ ...asked, method: 'OPTIONS' })?.preflight).toBeUndefined();
});

test.each(['https://app.example/', 'app.example', 'https://'])('%s is no origin', (text) => {
  expect(BrowserOrigins.safeParse([text]).success).toBe(false);
});
