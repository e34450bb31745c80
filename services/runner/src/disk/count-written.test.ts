import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countWritten } from './count-written.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-written-'));
});
// Node cannot remove files whose path exceeds the maximum path length.
afterEach(() => void execFileSync('rm', ['-rf', folder]));

const unlimited = { bytes: 1e12, files: 1e9 };
const count = (paths: readonly string[], limits = unlimited, signal = new AbortController().signal) =>
  countWritten({ paths, limits: limits, signal });
const du = (path: string) => Number(execFileSync('du', ['-s', '-B1', path], { encoding: 'utf8' }).split('\t')[0]);

test('the count equals that of du', async () => {
  mkdirSync(join(folder, 'a/b/c'), { recursive: true });
  for (let index = 0; index < 300; index += 1) writeFileSync(join(folder, `a/b/${index}`), Buffer.alloc(index * 100));
  writeFileSync(join(folder, 'big'), Buffer.alloc(5_000_000));
  execFileSync('truncate', ['-s', '10G', join(folder, 'sparse')]);
  symlinkSync('/', join(folder, 'link'));
  const counted = await count([folder]);
  expect(counted).toEqual({ bytes: du(folder), files: 4 + 300 + 3, isWhole: true });
});

test('a file with many hard links counts once', async () => {
  writeFileSync(join(folder, 'file'), Buffer.alloc(1_000_000));
  for (let index = 0; index < 50; index += 1) linkSync(join(folder, 'file'), join(folder, `name-${index}`));
  expect(await count([folder])).toEqual({ bytes: du(folder), files: 2, isWhole: true });
});

test('counting stops beyond its limits and when its signal aborts', async () => {
  mkdirSync(join(folder, 'many'));
  for (let index = 0; index < 5_000; index += 1) writeFileSync(join(folder, 'many', String(index)), 'x');
  // `isWhole` is not checked: the count may finish before it is ended.
  expect((await count([folder], { bytes: 1e12, files: 100 })).files).toBeGreaterThan(100);
  expect(await count([folder], unlimited, AbortSignal.abort())).toMatchObject({ isWhole: false });
});

test('files deeper than the maximum path length are counted', async () => {
  const dig = 'for (1..30) { mkdir "d" x 200; chdir "d" x 200 } open F, ">deep"; print F "x" x 1000000';
  execFileSync('perl', ['-e', dig], { cwd: folder });
  expect((await count([folder])).bytes).toBeGreaterThan(1_000_000);
});

test('several paths add up, and a missing path counts as nothing', async () => {
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'b'), 'x');
  expect(await count([join(folder, 'a'), join(folder, 'b'), join(folder, 'c')])).toMatchObject({
    files: 2,
    isWhole: true,
  });
});

test('without a path nothing is counted', async () => {
  expect(await count([])).toEqual({ bytes: 0, files: 0, isWhole: true });
});
