import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolders } from './make-folders.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'make-folders-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('makes missing folders and keeps existing ones, also when several calls make the same', async () => {
  const path = join(folder, 'a/b/c/d');
  await Promise.all(Array.from({ length: 20 }, () => makeFolders(path)));
  expect((await stat(path)).isDirectory()).toBe(true);
  await makeFolders(path);
  await symlink(path, join(folder, 'link'));
  await makeFolders(join(folder, 'link/e'));
  expect((await stat(join(path, 'e'))).isDirectory()).toBe(true);
});

it('a file in the middle of the path is an error', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(makeFolders(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolders(join(folder, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

it('fails instead of retrying for ever where no folder can be made', async () => {
  await expect(makeFolders('/proc/no/such/folder')).rejects.toMatchObject({ code: 'ENOENT' });
});
