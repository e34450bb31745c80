// Files that an operator copies to a runner's machine, as a file system image: the server with the packages it needs,
// the guest's runtime, and an image to run.
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { buildGuest } from '../guest/runtime.ts';
import { runFolder } from '../run.ts';
import { tinyImageTar } from '../tiny-image.ts';

const clone = resolve(import.meta.dirname, '../..');
const sizeMb = 1_024;

const Package = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/** Returns the path of the image, which is removed with the run. */
export async function makeProgramDisk(): Promise<string> {
  const staging = await mkdtemp(join(await runFolder(), 'program-'));
  const root = join(staging, 'root');
  await mkdir(root);
  await copyServer(join(root, 'server'));
  await cp(await buildGuest(), join(root, 'guest'), { recursive: true, verbatimSymlinks: true });
  await writeFile(join(root, 'tiny.tar'), await tinyImageTar());
  const disk = join(staging, 'disk.img');
  execFileSync('truncate', ['--size', `${sizeMb}M`, disk]);
  execFileSync('mkfs.ext4', ['-q', '-d', root, disk]);
  await rm(root, { recursive: true });
  return disk;
}

/** Relative positions of the folders stay the same, so that the links between packages hold. */
async function copyServer(target: string): Promise<void> {
  const folders = new Set<string>();
  await addPackage(join(clone, 'services/server'), folders);
  for (const folder of folders) {
    await mkdir(dirname(join(target, folder)), { recursive: true });
    execFileSync('cp', ['--archive', join(clone, folder), join(target, folder)]);
  }
  await cp(join(clone, 'templates'), join(target, 'templates'), { recursive: true });
}

/**
 * A package of this repository is its whole folder; a package of pnpm's store is the folder in which its dependencies
 * are linked.
 */
async function addPackage(folder: string, folders: Set<string>): Promise<void> {
  const [, stored] = /^(.*\/\.pnpm\/[^/]+)\/node_modules\//.exec(folder) ?? [];
  const whole = relative(clone, stored ?? folder);
  const isKnown = folders.has(whole);
  folders.add(whole);
  const { dependencies } = Package.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  if (isKnown) return;
  for (const name of Object.keys(dependencies)) {
    const found = find(folder, name);
    if (found !== undefined) await addPackage(found, folders);
  }
}

function find(from: string, name: string): string | undefined {
  for (let folder = from; folder.startsWith(clone); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return realpathSync(path);
  }
  return undefined;
}
