import { expect, test } from 'vitest';
import { filePath, treePath } from './file-path.ts';

test.each([
  ['/tmp/a b', '/%2Ftmp%2Fa%20b'],
  ['/', '/%2F'],
  ['/a/../b', '/%2Fa%2F..%2Fb'],
  ['a', '/a'],
  ['./src//x.ts', '/src/x.ts'],
  ['~/notes', '/~/notes'],
  ['50%?#', '/50%25%3F%23'],
])('%s is sent so that nothing in between changes it', (path, expected) => {
  const address = `https://gw.example/w/sandboxes/s/filesystem${filePath(path)}`;
  expect(filePath(path)).toBe(expected);
  expect(new URL(address).href).toBe(address);
});

test('a path that leaves its folder is refused: an address cannot hold it', () => {
  expect(() => filePath('../x')).toThrow('Give the whole path');
  expect(() => filePath('a/../../x')).toThrow('Give the whole path');
});

test('folders as a whole have absolute paths', () => {
  expect(treePath('/work/a b')).toBe('/work%2Fa%20b');
  expect(() => treePath('work')).toThrow('"work" is not absolute');
});
