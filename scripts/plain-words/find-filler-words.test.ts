import { expect, test } from 'vitest';
import { findFillerWords } from './find-filler-words.ts';

const diffOf = (file: string, ...added: string[]) =>
  ['diff --git a b', '--- a', `+++ ${file}`, `@@ -3,1 +7,${added.length} @@`, '-// Nobody.', ...added].join('\n');

test('a filler word on an added line is named with its file and line; a removed line is not', () => {
  const diff = diffOf('a.ts', '+// The runner waits.', '+// Whoever comes takes one that waits.');
  expect(findFillerWords(diff)).toEqual([
    { file: 'a.ts', line: 8, word: 'Whoever' },
    { file: 'a.ts', line: 8, word: 'one that' },
  ]);
});

test.each([
  ['+// What the runner does.', ['What']],
  ['+  /** Of one instance. */', ['Of']],
  ['+ * Its address.', ['Its']],
  ['+// The runner knows what it does, and how.', []],
  ['+// Assumes an address.', []],
  ["+const What = 'As';", []],
])('a comment may not begin with a word that leaves out its subject: %s', (line, words) => {
  expect(findFillerWords(diffOf('a.ts', line)).map(({ word }) => word)).toEqual(words);
});

test('each file and each hunk has its own line numbers', () => {
  const diff = [diffOf('a.ts', '+nobody'), '@@ -20 +30 @@', '+somebody', diffOf('docs/b.md', '+Everybody')].join('\n');
  expect(findFillerWords(diff).map(({ file, line }) => `${file}:${line}`)).toEqual([
    'a.ts:7',
    'a.ts:30',
    'docs/b.md:7',
  ]);
});

test('the list of words itself and files without sentences are not checked', () => {
  expect(findFillerWords(diffOf('scripts/plain-words/find-filler-words.ts', '+nobody'))).toEqual([]);
  expect(findFillerWords(diffOf('pnpm-lock.json', '+nobody'))).toEqual([]);
});
