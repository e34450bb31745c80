// QEMU from Debian 13: the version of Debian 12 crashes the kernel that it emulates. Its files lie in a folder of their own and run with the
// loader and the libraries that lie beside them, so that nothing is mounted and nothing of the machine is replaced.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { debianMirror, requireDebianPackages } from '../debian-packages.ts';
import type { Installable } from '../engine.ts';
import { engineFolder } from '../folders.ts';

const suite = 'trixie';
const debootstrap = '/usr/sbin/debootstrap';

export const emulator: Installable = {
  name: 'emulator',

  async install() {
    if (existsSync(await emulatorFolder())) return;
    await makeDebianRoot(['qemu-system-x86'], await emulatorFolder());
  },
};

export interface EmulatorCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How QEMU is started, up to its own arguments. */
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

/** A Debian 13 with some packages, made beside its place and moved there when it is whole. */
export async function makeDebianRoot(
  packages: readonly string[],
  target: string,
  finish: (root: string) => Promise<void> = async () => {},
): Promise<void> {
  requireDebianPackages('debootstrap', ['debootstrap'], [debootstrap]);
  if (process.getuid?.() !== 0) throw new Error('debootstrap needs root. Run the command again as root.');
  const staging = await mkdtemp(join(await engineFolder('virtual-host'), 'making-'));
  try {
    const root = join(staging, 'root');
    const options = ['--variant=minbase', `--include=${packages.join(',')}`];
    // One mirror serves all suites, so the one that this machine uses for its own has this one too.
    execFileSync(debootstrap, [...options, suite, root, ...debianMirror('bookworm')], { stdio: 'inherit' });
    await finish(root);
    await rename(root, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const emulatorFolder = async (): Promise<string> => join(await engineFolder('virtual-host'), `qemu-${suite}`);
