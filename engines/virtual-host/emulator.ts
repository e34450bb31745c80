// QEMU from Debian 13: the version of Debian 12 crashes the emulated kernel. Its files are in a separate folder and run
// with the loader and libraries beside them, so that nothing is mounted and no file of the machine is replaced.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeDebianRoot } from '../debian-root.ts';
import type { Installable } from '../engine.ts';
import { engineFolder } from '../folders.ts';

const suite = 'trixie';

export const emulator: Installable = {
  name: 'emulator',

  async install() {
    if (existsSync(await emulatorFolder())) return;
    await makeDebianRoot({ suite, packages: ['qemu-system-x86'], target: await emulatorFolder() });
  },
};

export interface EmulatorCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Command that starts QEMU, without QEMU's own arguments. */
export async function emulatorCommand(): Promise<EmulatorCommand> {
  await emulator.install();
  const root = await emulatorFolder();
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
  return {
    program: join(root, 'usr/lib64/ld-linux-x86-64.so.2'),
    args: [
      ...['--library-path', libraries, join(root, 'usr/bin/qemu-system-x86_64')],
      ...['-L', join(root, 'usr/share/seabios'), '-L', join(root, 'usr/share/qemu')],
    ],
    env: { QEMU_MODULE_DIR: join(libraries, 'qemu') },
  };
}

const emulatorFolder = async (): Promise<string> => join(await engineFolder('virtual-host'), `qemu-${suite}`);
