// A Debian root file system with Node.js, CPython and a JVM, for the bench that checkpoints and restores a server of each.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { debianMirror, requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';

const suite = 'bookworm';
const debootstrap = '/usr/sbin/debootstrap';
const packages = ['python3', 'openjdk-17-jdk-headless'];

export const runtimesRoot: Installable = {
  name: 'runtimes-root',

  async install() {
    if (existsSync(await runtimesRootFolder())) return;
    requireDebianPackages('debootstrap', ['debootstrap'], [debootstrap]);
    const staging = await mkdtemp(join(await engineFolder('images'), 'making-'));
    try {
      const root = join(staging, 'root');
      const options = ['--variant=minbase', `--include=${packages.join(',')}`];
      execFileSync(debootstrap, [...options, suite, root, ...debianMirror(suite)], { stdio: 'inherit' });
      await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
      await chmod(root, 0o755);
      await rename(root, await runtimesRootFolder());
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
};

export const runtimesRootFolder = async (): Promise<string> => join(await engineFolder('images'), 'runtimes-root');
