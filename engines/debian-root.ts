// Debian root file system with some packages, built beside its target and moved there when complete.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { environment } from '@berth/telemetry';
import { debianMirror, requireDebianPackages } from './debian-packages.ts';

export interface DebianRoot {
  readonly suite: 'bookworm' | 'trixie' | 'sid';
  readonly packages: readonly string[];
  readonly target: string;
  /** Called before the move. */
  readonly finish?: (root: string) => Promise<void>;
}

const debootstrap = '/usr/sbin/debootstrap';

export async function makeDebianRoot({ suite, packages, target, finish }: DebianRoot): Promise<void> {
  requireDebianPackages('debootstrap', ['debootstrap'], [debootstrap]);
  if (process.getuid?.() !== 0) throw new Error('debootstrap needs root. Run the command again as root.');
  const staging = await mkdtemp(join(dirname(target), 'making-'));
  try {
    const root = join(staging, 'root');
    const options = ['--variant=minbase', `--include=${packages.join(',')}`];
    // One mirror serves all suites, so the mirror of this machine's own suite has the others too.
    execFileSync(debootstrap, [...options, suite, root, ...debianMirror('bookworm')], {
      stdio: 'inherit',
      // The root is thrown away when this fails, so nothing has to be flushed to the disk.
      env: { ...environment, DPKG_FORCE: 'unsafe-io' },
    });
    await finish?.(root);
    await rename(root, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
