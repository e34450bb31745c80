import { expect, test } from 'vitest';
import { fuzzyScore } from './fuzzy-score.ts';

const ranked = (query: string, paths: string[]) =>
  paths
    .map((path) => ({ path, score: fuzzyScore(query, path) ?? Number.NaN }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score)
    .map(({ path }) => path);

test('a path matches only if it contains the characters in order', () => {
  expect(ranked('srv', ['src/server.ts', 'vrs', 'readme.md'])).toEqual(['src/server.ts']);
});

test("a hit in the file's name scores higher than one in its folders", () => {
  expect(ranked('server', ['server/a/b.ts', 'src/server.ts'])[0]).toBe('src/server.ts');
});

test('a whole name ranks before a part of one, and consecutive characters before scattered ones', () => {
  expect(ranked('main', ['src/domain.ts', 'src/main.ts', 'src/my-and-interns.ts'])).toEqual([
    'src/main.ts',
    'src/domain.ts',
    'src/my-and-interns.ts',
  ]);
});

test('hits at the beginnings of words score higher', () => {
  for (const path of ['src/my-test.ts', 'src/myTest.ts', 'src/my_test.ts']) {
    expect(ranked('mt', ['src/format.ts', path])[0]).toBe(path);
  }
});
