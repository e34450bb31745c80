import { expect, test } from 'vitest';
import { attachmentNamed, contentTypeOf } from './content-type.ts';
import { wantsBytes } from './wants-bytes.ts';

const none = new URLSearchParams();

test.each([
  undefined,
  '',
  '*/*',
  'application/json',
  'text/html, */*;q=0.8',
  'text/plain, application/json',
  'application/*',
])('Accept %s is answered with JSON', (accept) => expect(wantsBytes(accept, none)).toBe(false));

test.each(['application/octet-stream', 'application/octet-stream, */*', 'text/plain', 'image/png;q=0.5, image/*'])(
  'Accept %s is answered with the bytes',
  (accept) => expect(wantsBytes(accept, none)).toBe(true),
);

test('download=true requests the bytes regardless of the Accept header', () => {
  expect(wantsBytes('application/json', new URLSearchParams('download=true'))).toBe(true);
  expect(wantsBytes('application/json', new URLSearchParams('download=false'))).toBe(false);
});

test.each([
  ['a.txt', 'text/plain'],
  ['A.LOG', 'text/plain'],
  ['a.html', 'text/html'],
  ['a.htm', 'text/html'],
  ['a.css', 'text/css'],
  ['a.js', 'application/javascript'],
  ['a.json', 'application/json'],
  ['a.xml', 'application/xml'],
  ['a.pdf', 'application/pdf'],
  ['a.zip', 'application/zip'],
  ['a.tar', 'application/x-tar'],
  ['a.tar.gz', 'application/gzip'],
  ['a.jpg', 'image/jpeg'],
  ['a.jpeg', 'image/jpeg'],
  ['a.png', 'image/png'],
  ['a.gif', 'image/gif'],
  ['a.svg', 'image/svg+xml'],
  ['a.bin', 'application/octet-stream'],
  ['Makefile', 'application/octet-stream'],
  ['.json', 'application/octet-stream'],
])('%s is sent as %s', (name, type) => expect(contentTypeOf(`/x/${name}`)).toBe(type));

test('a hostile file name never breaks the header', () => {
  expect(attachmentNamed('a.txt')).toBe('attachment; filename="a.txt"');
  expect(attachmentNamed('a"b\r\nX: y')).toBe(`attachment; filename="a_b__X: y"; filename*=UTF-8''a%22b%0D%0AX%3A%20y`);
  expect(attachmentNamed("ü'")).toBe(`attachment; filename="_'"; filename*=UTF-8''%C3%BC%27`);
});
