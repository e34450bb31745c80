// A Docker Engine's store of images that already holds the base image. A new engine gets the files as hard links, in a tenth
// of the CPU time that an import takes. Containers never write to the files of an image, so engines can share them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { engineFolder } from './folders.ts';

/** The image store consists of these folders of an engine's data. */
const parts = ['image', 'overlay2'];

export const hasImageSeed = async (): Promise<boolean> => existsSync(await seedFolder());

/** Takes the image store of a stopped engine. */
export async function keepImageSeed(dataFolder: string): Promise<void> {
  const staging = `${await seedFolder()}-${process.pid}`;
  await mkdir(staging, { recursive: true });
  for (const part of parts) await rename(join(dataFolder, 'data', part), join(staging, part));
  await rename(staging, await seedFolder()).catch(() => rm(staging, { recursive: true, force: true }));
}

/** Before the first start of an engine. An engine with a file system of its own begins without images. */
export async function seedImages(dataFolder: string): Promise<void> {
  const data = join(dataFolder, 'data');
  if (existsSync(join(data, 'image')) || !(await hasImageSeed())) return;
  await mkdir(data, { recursive: true });
  const seed = await seedFolder();
  if ((await stat(data)).dev !== (await stat(seed)).dev) return;
  execFileSync('cp', ['--archive', '--link', ...parts.map((part) => join(seed, part)), data]);
}

const seedFolder = async (): Promise<string> => join(await engineFolder('images'), `store-node-${process.version}`);
