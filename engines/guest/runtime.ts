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
import { compileNative, NATIVE_FLAGS } from './native.ts';
import { HOST_PROGRAM, linkNode, preparedNode } from './node-program.ts';
import { renameUnlessThere } from './rename-unless-there.ts';
import { terminalPage } from './terminal-page.ts';

const CLONE = resolve(import.meta.dirname, '../..');
const NATIVE = join(CLONE, 'services/guest/native');
const INPUTS = ['services/guest/src', 'packages/contract/src/guest', 'engines/guest'];
const INPUT_FILES = ['pnpm-lock.yaml', 'services/guest/package.json'];

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
    compileNative(NATIVE, staging);
    await linkNode(node, staging);
    await bundleGuest(join(CLONE, 'services/guest/src'), join(staging, 'guest'));
    await writeFile(join(staging, 'guest/terminal.html'), await terminalPage());
    await writeFile(join(staging, 'guest/build.json'), await buildInfo(CLONE, new Date()));
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
  return join(await preparedNode(await engineFolder('guest')), HOST_PROGRAM);
}

async function hashOfInputs(): Promise<string> {
  const hash = createHash('sha256').update(process.version).update(NATIVE_FLAGS.join(' '));
  for (const file of await inputFiles()) hash.update(`\0${file}\0`).update(await readFile(join(CLONE, file)));
  return hash.digest('hex').slice(0, 16);
}

async function inputFiles(): Promise<string[]> {
  const found = await Promise.all(
    [...INPUTS, 'services/guest/native'].map(async (folder) => {
      const names = await readdir(join(CLONE, folder), { recursive: true, withFileTypes: true }).catch(() => []);
      return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  const files = found.flat().map((path) => path.slice(CLONE.length + 1));
  return [...files.filter((path) => !/\.test\.ts$|\.md$/.test(path)), ...INPUT_FILES].sort();
}
