// Separate file system for an engine's data, as operators should have it: when it is full, only the containers are
// affected.
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export type DataDisk = {
  sizeMb: number;
  /** Maximum number of files; the default of the file system when left out. */
  files?: number;
};

/** Mounts the file system where the engine keeps images and containers. It is unmounted with the engine. */
export async function mountDataDisk(dataFolder: string, { sizeMb, files }: DataDisk): Promise<void> {
  const image = join(dataFolder, 'disk.img');
  const target = join(dataFolder, 'data');
  await mkdir(target, { recursive: true });
  execFileSync('truncate', ['--size', `${sizeMb}M`, image]);
  const inodes = files === undefined ? [] : ['-N', String(files)];
  // No blocks are reserved for root, because the engine writes as root.
  execFileSync('mkfs.ext4', ['-q', '-m', '0', ...inodes, image], { stdio: ['ignore', 'ignore', 'pipe'] });
  execFileSync('mount', ['-o', 'loop', image, target]);
}
