import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stageFile } from './stage-file.ts';
import { temporaryName } from './temporary-name.ts';
import { UnfinishedTransfers } from './unfinished-transfers.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-unfinished-'));
  await mkdir(join(folder, 'work'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const left = () => readdir(join(folder, 'work'));
const notes = () => readdir(join(folder, 'unfinished'));

test('R-33 the next guest deletes a file that a dead guest was writing', async () => {
  const staged = await stageFile(join(folder, 'work/file'), new UnfinishedTransfers(folder));
  await staged.write(Buffer.from('half'));
  expect(await left()).toHaveLength(1);
  const next = new UnfinishedTransfers(folder);
  const forget = await next.note(join(folder, 'work', temporaryName()));
  expect(await left()).toEqual([]);
  await forget();
  expect(await notes()).toEqual([]);
  await staged.discard();
});

test('a transfer that succeeded or failed leaves no note', async () => {
  const unfinished = new UnfinishedTransfers(folder);
  const kept = await stageFile(join(folder, 'work/kept'), unfinished);
  expect(await notes()).toHaveLength(1);
  await kept.commit();
  const dropped = await stageFile(join(folder, 'work/dropped'), unfinished);
  await dropped.discard();
  expect([await left(), await notes()]).toEqual([['kept'], []]);
});

test('a note that does not name a temporary file deletes nothing', async () => {
  await writeFile(join(folder, 'work/precious'), 'x');
  await mkdir(join(folder, 'unfinished'));
  await symlink(join(folder, 'work/precious'), join(folder, 'unfinished/forged'));
  await new UnfinishedTransfers(folder).note(join(folder, 'work', temporaryName()));
  expect(await left()).toEqual(['precious']);
});
