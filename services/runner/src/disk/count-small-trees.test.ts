import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countSmallTrees } from './count-small-trees.ts';
import { countWritten } from './count-written.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-trees-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();
const make = (name: string, files: number, bytes: number): string => {
  const tree = join(folder, name);
  mkdirSync(join(tree, 'deep'), { recursive: true });
  for (let index = 0; index < files; index += 1) writeFileSync(join(tree, 'deep', `${index}`), Buffer.alloc(bytes));
  return tree;
};

test('trees that are counted together have the amounts of single counts', async () => {
  const linked = make('with a space', 3, 100_000);
  for (let index = 0; index < 5; index += 1) linkSync(join(linked, 'deep/0'), join(linked, `name-${index}`));
  const single = join(folder, 'hosts');
  writeFileSync(single, Buffer.alloc(50_000));
  const trees = [[make('empty', 0, 0)], [linked, single], [make('full', 20, 30_000), join(folder, 'missing')]];
  const limits = { bytes: 1e12, files: 1e9 };
  const alone = await Promise.all(trees.map((paths) => countWritten({ paths, limits, signal })));
  const together = await countSmallTrees(trees, signal);
  expect(together).toEqual(alone.map(({ bytes, files }) => ({ bytes, files })));
  expect(together?.map(({ files }) => files)).toEqual([2, 6, 22]);
});

test('trees that are too large together are not counted, nor after an abort', async () => {
  const [tree, other] = [make('a', 1, 1), make('b', 1, 1)];
  expect(await countSmallTrees([[tree], [other]], AbortSignal.abort())).toBeUndefined();
  // Each line has the path of its tree, so a long one fills the room with few files.
  const deep = join(folder, ...Array.from({ length: 15 }, () => 'n'.repeat(200)));
  mkdirSync(deep, { recursive: true });
  for (let index = 0; index < 1_600; index += 1) writeFileSync(join(deep, `${index}`), '');
  expect(await countSmallTrees([[tree], [deep]], signal)).toBeUndefined();
});

test('a tree without a path counts as nothing', async () => {
  const none = { bytes: 0, files: 0 };
  expect(await countSmallTrees([[], []], signal)).toEqual([none, none]);
  expect(await countSmallTrees([[], [make('a', 1, 1)]], signal)).toMatchObject([none, { files: 3 }]);
});
