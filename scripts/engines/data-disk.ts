// A file system of its own for an engine's data, as operators should have it: full, it is full for the containers alone.
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export type DataDisk = {
  sizeMb: number;
  /** How many files fit; as many as usual when left out. */
  files?: number;
};

/** Mounted where the engine keeps images and containers. It goes with the engine, whose mounts are taken away at its end. */
export async function mountDataDisk(dataFolder: string, { sizeMb, files }: DataDisk): Promise<void> {
  const image = join(dataFolder, 'disk.img');
  const target = join(dataFolder, 'data');
  await mkdir(target, { recursive: true });
  execFileSync('truncate', ['--size', `${sizeMb}M`, image]);
  const inodes = files === undefined ? [] : ['-N', String(files)];
  // Nothing kept back for root: it is root who writes.
  execFileSync('mkfs.ext4', ['-q', '-m', '0', ...inodes, image], { stdio: ['ignore', 'ignore', 'pipe'] });
  execFileSync('mount', ['-o', 'loop', image, target]);
}
