// The folder that is mounted at /.berth in every sandbox: the native helper, a Node.js with its own loader and
// libraries, and the guest. It is self-contained, because an image may have another libc, an older one, or no file at
// all.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Installable } from '../engine.ts';
import { engineFolder } from '../folders.ts';
import { buildInfo } from './build-info.ts';
import { bundleGuest } from './bundle.ts';
import { compileNative, nativeFlags } from './native.ts';
import { hostProgram, linkNode, preparedNode } from './node-program.ts';
import { renameUnlessThere } from './rename-unless-there.ts';
import { terminalPage } from './terminal-page.ts';

const clone = resolve(import.meta.dirname, '../..');
const nativeFolder = join(clone, 'services/guest/native');
const inputFolders = ['services/guest/src', 'packages/contract/src/guest', 'engines/guest'];
const furtherInputs = ['pnpm-lock.yaml', 'services/guest/package.json'];

export const guestRuntime: Installable = {
  name: 'guest',
  async install() {
    await buildGuest();
  },
};

/**
 * Runtime folder for these sources, built when it does not exist yet. Old folders stay: a running sandbox may use one.
 */
export async function buildGuest(): Promise<string> {
  const root = await engineFolder('guest');
  const folder = join(root, await hashOfInputs());
  if (existsSync(folder)) return folder;
  const node = await preparedNode(root);
  const staging = await mkdtemp(join(root, 'building-'));
  try {
    compileNative(nativeFolder, staging);
    await linkNode(node, staging);
    await bundleGuest(join(clone, 'services/guest/src'), join(staging, 'guest'));
    await writeFile(join(staging, 'guest/terminal.html'), await terminalPage());
    await writeFile(join(staging, 'guest/build.json'), await buildInfo(clone, new Date()));
    // mkdtemp restricts the folder to one account, but sandboxes run as any account.
    await chmod(staging, 0o755);
    await renameUnlessThere(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return folder;
}

/**
 * A Node.js that every account of this machine can run: the copy in the runtime folder runs only where that folder is
 * mounted.
 */
export async function hostNode(): Promise<string> {
  return join(await preparedNode(await engineFolder('guest')), hostProgram);
}

async function hashOfInputs(): Promise<string> {
  const hash = createHash('sha256').update(process.version).update(nativeFlags.join(' '));
  for (const file of await inputFiles()) hash.update(`\0${file}\0`).update(await readFile(join(clone, file)));
  return hash.digest('hex').slice(0, 16);
}

async function inputFiles(): Promise<string[]> {
  const found = await Promise.all(
    [...inputFolders, 'services/guest/native'].map(async (folder) => {
      const names = await readdir(join(clone, folder), { recursive: true, withFileTypes: true }).catch(() => []);
      return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  const files = found.flat().map((path) => path.slice(clone.length + 1));
  return [...files.filter((path) => !/\.test\.ts$|\.md$/.test(path)), ...furtherInputs].sort();
}
