// Files that an operator copies to a runner's machine, as a file system image: the server, the guest's runtime, and an
// image to run.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildGuest } from '../guest/runtime.ts';
import { runFolder } from '../run.ts';
import { builtServer } from '../server-bundle.ts';
import { tinyImageTar } from '../tiny-image.ts';

const sizeMb = 1_024;

/** Returns the path of the image, which is removed with the run. */
export async function makeProgramDisk(): Promise<string> {
  const staging = await mkdtemp(join(await runFolder(), 'program-'));
  const root = join(staging, 'root');
  await mkdir(root);
  await cp((await builtServer()).folder, join(root, 'server'), { recursive: true });
  await cp(await buildGuest(), join(root, 'guest'), { recursive: true, verbatimSymlinks: true });
  await writeFile(join(root, 'tiny.tar'), await tinyImageTar());
  const disk = join(staging, 'disk.img');
  execFileSync('truncate', ['--size', `${sizeMb}M`, disk]);
  execFileSync('mkfs.ext4', ['-q', '-d', root, disk]);
  await rm(root, { recursive: true });
  return disk;
}
