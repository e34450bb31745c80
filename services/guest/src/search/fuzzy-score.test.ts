import { expect, test } from 'vitest';
import { fuzzyScore } from './fuzzy-score.ts';

const ranked = (query: string, paths: string[]) =>
  paths
    .map((path) => ({ path, score: fuzzyScore(query, path) ?? Number.NaN }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score)
    .map(({ path }) => path);

test('only what holds the characters in their order fits', () => {
  expect(ranked('srv', ['src/server.ts', 'vrs', 'readme.md'])).toEqual(['src/server.ts']);
});

test("the file's own name counts more than its folders", () => {
  expect(ranked('server', ['server/a/b.ts', 'src/server.ts'])[0]).toBe('src/server.ts');
});

test('a whole name comes before a part of one, and characters in a row before scattered ones', () => {
  expect(ranked('main', ['src/domain.ts', 'src/main.ts', 'src/my-and-interns.ts'])).toEqual([
    'src/main.ts',
    'src/domain.ts',
    'src/my-and-interns.ts',
  ]);
});

test('the beginnings of words count', () => {
  for (const path of ['src/my-test.ts', 'src/myTest.ts', 'src/my_test.ts']) {
    expect(ranked('mt', ['src/format.ts', path])[0]).toBe(path);
  }
});
