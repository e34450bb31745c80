import { expect, test } from 'vitest';
import { placeBelow } from './place-below.ts';

test('a file below the folder has its place there', () => {
  expect(placeBelow('/home/me/to', 'a/b')).toBe('/home/me/to/a/b');
  expect(placeBelow('/home/me/to/', 'a/../b')).toBe('/home/me/to/b');
});

test.each(['../x', '/etc/passwd', 'a/../../to-other/x', '..', '.', ''])('%j leads out of it and is refused', (path) => {
  expect(() => placeBelow('/home/me/to', path)).toThrow('not below the folder');
});
