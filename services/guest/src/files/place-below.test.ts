import { expect, test } from 'vitest';
import { placeBelow } from './place-below.ts';

test.each([
  ['/work', 'a/b', '/work/a/b'],
  ['/work', './a/', '/work/a'],
  ['/work', './', '/work'],
  ['/work', '/a', '/work/a'],
  ['/work', 'a/../b', '/work/b'],
  ['/', 'a', '/a'],
  ['/', '../a', '/a'],
  ['/work', '../a', undefined],
  ['/work', '../work2/a', undefined],
  ['/work', 'a\0', undefined],
])('below %s the name %j means %s', (folder, name, path) => {
  expect(placeBelow(folder, name)).toBe(path);
});
