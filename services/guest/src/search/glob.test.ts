import { expect, test } from 'vitest';
import { compileGlob } from './glob.ts';

test.each([
  ['*', 'anything', true],
  ['*.ts', 'a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['a*b*c', 'aXXbYYc', true],
  ['a*b*c', 'aXXbYY', false],
  ['?.md', 'é.md', true],
  ['?.md', 'ab.md', false],
  ['[a-c]1', 'b1', true],
  ['[!a-c]1', 'b1', false],
  ['[^a-c]1', 'd1', true],
  ['[]x]', ']', true],
  ['[a', '[a', true],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['Makefile', 'Makefile', true],
  ['Makefile', 'makefile', false],
  ['*test*', 'a.test.ts', true],
])('%s and %s: %s', (pattern, name, fits) => {
  expect(compileGlob(pattern)(name)).toBe(fits);
});

test('a pattern with many stars is matched quickly', () => {
  // A matcher that tries every way to share the letters among the stars would never finish.
  const before = process.threadCpuUsage().user;
  expect(compileGlob(`${'*a'.repeat(60)}*b`)('a'.repeat(255))).toBe(false);
  expect(process.threadCpuUsage().user - before).toBeLessThan(5_000_000);
});
