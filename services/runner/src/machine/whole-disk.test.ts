import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wholeDisk } from './whole-disk.ts';

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' }).trim();

test('a folder on a partition belongs to the whole disk', async () => {
  await using made = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'disk-'));
  made.defer(() => rm(folder, { recursive: true, force: true }));
  const [image, mount] = [join(folder, 'disk.img'), join(folder, 'mount')];
  run('truncate', '--size', '64M', image);
  const disk = run('losetup', '--find', '--show', image);
  made.defer(() => void run('losetup', '--detach', disk));
  // The partition of a run that was killed stays on the device and would be in the way.
  spawnSync('delpart', [disk, '1']);
  run('addpart', disk, '1', '2048', '100000');
  made.defer(() => void run('delpart', disk, '1'));
  run('mkfs.ext4', '-q', `${disk}p1`);
  run('mkdir', mount);
  run('mount', `${disk}p1`, mount);
  made.defer(() => void run('umount', mount));
  expect(await wholeDisk(mount)).toBe(disk);
});

test('a folder on no local disk has no disk', async () => {
  expect(await wholeDisk('/proc')).toBeUndefined();
});
