import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountNames } from './account-names.ts';
import { directoryJson } from './directory-json.ts';
import { gatherFolder, listDirectory } from './list-directory.ts';

const isRoot = process.getuid?.() === 0;
const nobodyUid = 65_534;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-list-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'a/b/c'), { recursive: true });
  await mkdir(join(folder, 'closed'));
  for (const name of ['x', 'a/y', 'a/b/z', 'closed/secret', 'quote"\n']) await writeFile(join(folder, name), name);
  await symlink('/nowhere', join(folder, 'a/dangling'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([1, 2, 3, Number.POSITIVE_INFINITY])(
  'as text and as a value, %d levels of a directory are the same',
  async (levels) => {
    let text = '';
    for await (const piece of directoryJson(await gatherFolder(folder, { levels }), await accountNames()))
      text += piece;
    expect(JSON.parse(text)).toEqual(await listDirectory(folder, { levels }));
  },
);

test('a listing with too many entries is a 422 that names an alternative', async () => {
  await expect(listDirectory(folder, { levels: 9, maxEntries: 9 })).rejects.toMatchObject({
    status: 422,
    message: expect.stringMatching(/subdirectory/),
  });
  await expect(listDirectory(folder, { levels: 9, maxEntries: 10 })).resolves.toMatchObject({ path: folder });
});

test.runIf(isRoot)('R-36 a subdirectory that may not be read is shown, empty', async () => {
  await chmod(join(folder, 'closed'), 0o700);
  process.seteuid?.(nobodyUid);
  try {
    const { subdirectories } = await listDirectory(folder, { levels: 2 });
    expect(subdirectories.map(({ name, files }) => [name, files?.length])).toEqual([
      ['a', 2],
      ['closed', 0],
    ]);
    await expect(listDirectory(join(folder, 'closed'))).rejects.toMatchObject({ status: 422 });
  } finally {
    process.seteuid?.(0);
  }
});
