// The folder that is mounted at /.berth in every sandbox: the native helper, a Node.js with its own loader and
// libraries, and the guest. It is self-contained, because an image may have another libc, an older one, or no file at
// all.
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Installable } from '../engine.ts';
import { engineFolder } from '../folders.ts';
import { hashFiles } from '../hash-files.ts';
import { buildInfo } from './build-info.ts';
import { bundleGuest } from './bundle.ts';
import { compileNative, nativeFlags } from './native.ts';
import { hostProgram, linkNode, preparedNode } from './node-program.ts';
import { renameUnlessThere } from './rename-unless-there.ts';
import { terminalPage } from './terminal-page.ts';

const clone = resolve(import.meta.dirname, '../..');
const nativeFolder = join(clone, 'services/guest/native');
const inputs = [
  ...['services/guest/src', 'services/guest/native', 'packages/contract/src/guest', 'engines/guest'],
  ...['pnpm-lock.yaml', 'services/guest/package.json'],
];

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
  const folder = join(root, hashFiles(clone, inputs, ...nativeFlags));
  if (existsSync(folder)) return folder;
  const staging = await mkdtemp(join(root, 'building-'));
  try {
    await assembleGuest(staging, new Date());
    // mkdtemp restricts the folder to one account, but sandboxes run as any account.
    await chmod(staging, 0o755);
    await renameUnlessThere(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return folder;
}

/** Writes the runtime folder, which is on the same disk as the engines. Returns the paths of all modules in it. */
export async function assembleGuest(target: string, builtAt: Date): Promise<readonly string[]> {
  compileNative(nativeFolder, target);
  await linkNode(await preparedNode(await engineFolder('guest')), target);
  const modules = await bundleGuest(join(clone, 'services/guest/src'), join(target, 'guest'));
  const page = await terminalPage();
  await writeFile(join(target, 'guest/terminal.html'), page.html);
  await writeFile(join(target, 'guest/build.json'), await buildInfo(clone, builtAt));
  return [...modules, ...page.modules];
}

/**
 * A Node.js that every account of this machine can run: the copy in the runtime folder runs only where that folder is
 * mounted.
 */
export async function hostNode(): Promise<string> {
  return join(await preparedNode(await engineFolder('guest')), hostProgram);
}
