import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backupName, partialSuffix, timeOf } from './backup-name.ts';
import { pruneBackups } from './prune-backups.ts';

const day = 86_400_000;
const now = new Date('2026-11-20T04:00:00.000Z');
const daysAgo = (days: number) => backupName(new Date(now.getTime() - days * day));

test('the name of a backup tells its time', () => {
  expect(timeOf(backupName(now))).toEqual(now);
  expect(timeOf('berth-notes')).toBeUndefined();
});

test('backups beyond the days to keep go, with what killed ones left; younger ones and other files stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prune-'));
  const old = [daysAgo(8), `${daysAgo(9)}${partialSuffix}`];
  const young = [daysAgo(0), daysAgo(7), `${daysAgo(1)}${partialSuffix}`];
  for (const name of [...old, ...young]) await mkdir(join(folder, name));
  await writeFile(join(folder, 'notes'), '');
  expect((await pruneBackups(folder, 7, now)).toSorted()).toEqual(old.toSorted());
  expect((await readdir(folder)).toSorted()).toEqual([...young, 'notes'].toSorted());
});
