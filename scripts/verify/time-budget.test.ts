import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { smallStages } from './stages.ts';
import { fileShares, heavyFolders, heavyLanes, limitSeconds, stageShares } from './time-budget.ts';

const heavyFiles = globSync(heavyFolders.map((folder) => `${folder}/**/*.test.ts`));
const sum = (shares: Readonly<Record<string, number>>) =>
  Object.values(shares).reduce((total, share) => total + share, 0);

test('every heavy file has a share, and every share a file', () => {
  expect(Object.keys(fileShares).toSorted()).toEqual(heavyFiles.toSorted());
});

test('every stage before the heavy files has a share', () => {
  expect(Object.keys(stageShares)).toEqual(smallStages.slice(0, -1).map(({ name }) => name));
});

test('the shares stay below the limit of the small size', () => {
  expect(sum(stageShares) + sum(fileShares) / heavyLanes).toBeLessThanOrEqual(limitSeconds);
});

test('no single file is longer than its lane', () => {
  expect(Math.max(...Object.values(fileShares))).toBeLessThanOrEqual(sum(fileShares) / heavyLanes);
});
