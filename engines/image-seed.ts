// Image store of a Docker Engine that already holds the base image. A new engine gets the files as hard links, in a
// tenth of the CPU time of an import. Containers never write to the files of an image, so engines can share them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { engineFolder } from './folders.ts';

/** Folders of an engine's data that make up the image store. */
const parts = ['image', 'overlay2'];

export const hasImageSeed = async (): Promise<boolean> => existsSync(await seedFolder());

/** Moves the image store of a stopped engine into the seed. */
export async function keepImageSeed(dataFolder: string): Promise<void> {
  const staging = `${await seedFolder()}-${process.pid}`;
  await mkdir(staging, { recursive: true });
  for (const part of parts) await rename(join(dataFolder, 'data', part), join(staging, part));
  await rename(staging, await seedFolder()).catch(() => rm(staging, { recursive: true, force: true }));
}

/** Called before the first start of an engine. An engine on a separate file system starts without images. */
export async function seedImages(dataFolder: string): Promise<void> {
  const data = join(dataFolder, 'data');
  if (existsSync(join(data, 'image')) || !(await hasImageSeed())) return;
  await mkdir(data, { recursive: true });
  const seed = await seedFolder();
  if ((await stat(data)).dev !== (await stat(seed)).dev) return;
  execFileSync('cp', ['--archive', '--link', ...parts.map((part) => join(seed, part)), data]);
}

const seedFolder = async (): Promise<string> => join(await engineFolder('images'), `store-node-${process.version}`);
