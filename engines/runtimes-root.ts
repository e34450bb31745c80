// Debian root file system with Node.js, CPython and a JVM, for the bench that checkpoints and restores a server of
// each.
import { existsSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDebianRoot } from './debian-root.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';

export const runtimesRoot: Installable = {
  name: 'runtimes-root',

  async install() {
    if (existsSync(await runtimesRootFolder())) return;
    await makeDebianRoot({
      suite: 'bookworm',
      packages: ['python3', 'openjdk-17-jdk-headless'],
      target: await runtimesRootFolder(),
      async finish(root) {
        await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
        await chmod(root, 0o755);
      },
    });
  },
};

export const runtimesRootFolder = async (): Promise<string> => join(await engineFolder('images'), 'runtimes-root');
