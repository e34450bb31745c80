// Base image of the templates' Dockerfiles, made without a public registry: a Debian root file system with this
// Node.js, imported under the names that the Dockerfiles use. It replaces those images in tests and development.
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, globSync } from 'node:fs';
import { appendFile, chmod, copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { debianMirror, requireDebianPackages } from './debian-packages.ts';
import { docker } from './docker.ts';
import { callDocker } from './docker-api.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { hasImageSeed, keepImageSeed } from './image-seed.ts';
import { importImage, tagImage } from './import-image.ts';
import { archiveRoot } from './root-archive.ts';
import { runFolder } from './run.ts';

const suite = 'bookworm';
const debootstrapProgram = '/usr/sbin/debootstrap';
const templatesFolder = resolve(import.meta.dirname, '../templates');

export const baseImage: Installable = {
  name: 'base-image',

  async install() {
    await makeBaseImage();
    if (!(await hasImageSeed()) && process.getuid?.() === 0) await makeSeed();
  },
};

/** Makes the file of the image unless it exists. Imports nothing. */
export async function makeBaseImage(): Promise<void> {
  if (existsSync(await baseImageFile())) return;
  requireDebianPackages('debootstrap', ['debootstrap'], [debootstrapProgram]);
  if (process.getuid?.() !== 0) throw new Error('debootstrap needs root. Run the command again as root.');
  const staging = await mkdtemp(join(await engineFolder('images'), 'making-'));
  try {
    const root = join(staging, 'root');
    execFileSync(debootstrapProgram, ['--variant=minbase', suite, root, ...debianMirror(suite)], { stdio: 'inherit' });
    await addNode(root);
    await archiveRoot(root, await baseImageFile());
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function makeSeed(): Promise<void> {
  const dataFolder = await runFolder(`${docker.name}-seed-${process.pid}`);
  const { url } = await docker.start({ dataFolder });
  try {
    await importUnderNames(url, await baseImageNames());
  } finally {
    await docker.stop(dataFolder);
  }
  await keepImageSeed(dataFolder);
  await rm(dataFolder, { recursive: true, force: true });
}

/** Imports the base image into the engine at `url` under each of its names, and returns the names. */
export async function importBaseImage(url: string): Promise<string[]> {
  await baseImage.install();
  const names = await baseImageNames();
  if (!(await hasImages(url, names))) await importUnderNames(url, names);
  return names;
}

async function importUnderNames(url: string, [first = '', ...others]: readonly string[]): Promise<void> {
  const settings = ['ENV PATH=/usr/local/bin:/usr/bin:/bin', 'CMD ["node"]'];
  await importImage(url, first, createReadStream(await baseImageFile()), settings);
  for (const other of others) await tagImage(url, first, other);
}

async function hasImages(url: string, names: readonly string[]): Promise<boolean> {
  const found = names.map((name) =>
    callDocker(url, `GET /images/${name}/json`).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(found)).every(Boolean);
}

async function baseImageNames(): Promise<string[]> {
  const names = new Set<string>();
  for (const path of globSync('*/Dockerfile', { cwd: templatesFolder })) {
    const text = await readFile(join(templatesFolder, path), 'utf8');
    for (const [, name = ''] of text.matchAll(/^FROM (\S+)/gm)) names.add(name);
  }
  return [...names];
}

export async function baseImageFile(): Promise<string> {
  return join(await engineFolder('images'), `debian-${suite}-node-${process.version}.tar`);
}

/** Matches the official image: the program in /usr/local/bin, and an account `node` with id 1000. */
async function addNode(root: string): Promise<void> {
  const program = join(root, 'usr/local/bin/node');
  await copyFile(process.execPath, program);
  await chmod(program, 0o755);
  await appendFile(join(root, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/sh\n');
  await appendFile(join(root, 'etc/group'), 'node:x:1000:\n');
  await mkdir(join(root, 'home/node'));
  execFileSync('chown', ['1000:1000', join(root, 'home/node')]);
}
