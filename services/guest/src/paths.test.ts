import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveGiven, resolveTree, resolveWildcard } from './paths.ts';

const settings = { workingDirectory: '/work', home: '/home/me', encodedSlashIsAbsolute: false };

test.each([
  ['', '/work', '/work'],
  ['/', '/work', '/work'],
  ['/.', '/work', '/work'],
  ['/a.txt', '/work/a.txt', 'a.txt'],
  ['/src/a.txt', '/work/src/a.txt', 'src/a.txt'],
  ['/src%2Fa.txt', '/work/src/a.txt', 'src/a.txt'],
  ['/%2Ftmp%2Fa.txt', '/tmp/a.txt', '/tmp/a.txt'],
  ['/%2ftmp%2fa.txt', '/tmp/a.txt', '/tmp/a.txt'],
  ['//tmp/a.txt', '/tmp/a.txt', '/tmp/a.txt'],
  ['%2Ftmp/a.txt', '/tmp/a.txt', '/tmp/a.txt'],
  ['%2ftmp/a.txt', '/tmp/a.txt', '/tmp/a.txt'],
  ['/~', '/home/me', '/home/me'],
  ['/~/x', '/home/me/x', '/home/me/x'],
  ['/~x', '/work/~x', '~x'],
  ['/a//b/./c/', '/work/a/b/c', 'a/b/c'],
  ['/../../../etc', '/etc', '../../../etc'],
  ['//..//etc', '/etc', '/etc'],
])('U-01 %s means %s, echoed as %s', (rest, absolute, echoed) =>
  expect(resolveWildcard(rest, settings)).toEqual({ absolute, echoed }),
);

test.each([
  ['', '/'],
  ['/', '/'],
  ['/etc', '/etc'],
  ['//etc', '/etc'],
  ['%2Fetc', '/etc'],
  ['/%2Fetc', '/etc'],
  ['/~/x', '/~/x'],
])('a tree path %s is always absolute', (rest, absolute) => expect(resolveTree(rest).absolute).toBe(absolute));

test('U-01 a setting makes a path with an encoded slash absolute', () =>
  expect(resolveWildcard('/src%2Fa.txt', { ...settings, encodedSlashIsAbsolute: true }).absolute).toBe('/src/a.txt'));

test('a home path without HOME is refused with 400', () =>
  expect(() => resolveGiven('~/x', { ...settings, home: undefined })).toThrow(
    expect.objectContaining({ status: 400 }),
  ));

test.each(['/%', '/%zz', '/%ff', '/a%00b'])('%s is refused with 400', (rest) =>
  expect(() => resolveWildcard(rest, settings)).toThrow(expect.objectContaining({ status: 400 })),
);

test('every encoded path is decoded to the same text, relative or absolute', () =>
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
      (text) => {
        const name = text.replaceAll('/', '_');
        const plain = name === '' || name === '.' || name === '..' || name === '~' ? 'x' : name;
        expect(resolveWildcard(`/${encodeURIComponent(plain)}`, settings).absolute).toBe(`/work/${plain}`);
        expect(resolveWildcard(`/${encodeURIComponent(`/tmp/${plain}`)}`, settings).absolute).toBe(`/tmp/${plain}`);
      },
    ),
  ));
