import { expect, test } from 'vitest';
import { contentHash, templates } from './templates.ts';

const file = (path: string, content: string) => ({ path, content: Buffer.from(content) });

test('the hash of a template changes with the name and with the content of any file', () => {
  const hashes = [
    [file('a', 'one'), file('b', 'two')],
    [file('a', 'one'), file('b', 'three')],
    [file('a', 'one'), file('c', 'two')],
    [file('a', 'one')],
    // The same bytes, split differently over the files.
    [file('a', 'onetwo')],
    [file('a', 'on'), file('b', 'etwo')],
  ].map(contentHash);
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(contentHash([file('a', 'one'), file('b', 'two')])).toBe(hashes[0]);
});

test('every template has a different hash', () => {
  expect(new Set(templates.map(({ template }) => template.sha)).size).toBe(templates.length);
});
