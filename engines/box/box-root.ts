// Root file system of a box: Debian 13 with systemd, Docker and Compose, as an operator's machine has them. Made once; every box
// starts from it and keeps its own changes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDebianRoot } from '../debian-root.ts';
import type { Installable } from '../engine.ts';
import { engineFolder } from '../folders.ts';

/** Raise this number when `prepare` alters the contents. */
const edition = 1;

const packages = [
  ...['systemd-sysv', 'dbus', 'kmod'],
  ...['docker.io', 'docker-cli', 'docker-compose'],
  ...['nftables', 'iptables', 'ufw', 'iproute2', 'iputils-ping', 'procps', 'curl', 'openssl', 'ca-certificates'],
];

/** Units that would start background work at unpredictable times, or that need a terminal or the kernel's own settings. */
const masked = [
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'dpkg-db-backup.timer', 'fstrim.timer', 'ufw.service'],
  ...['console-getty.service', 'getty@tty1.service', 'systemd-sysctl.service', 'modprobe@.service', 'kmod.service'],
  ...['sys-kernel-debug.mount', 'sys-kernel-tracing.mount', 'sys-kernel-config.mount', 'sys-fs-fuse-connections.mount'],
];

export const boxRoot: Installable = {
  name: 'box-root',

  async install() {
    const target = await rootFolder();
    if (!existsSync(target)) await makeDebianRoot({ suite: 'trixie', packages, target, finish: prepare });
  },
};

export async function installedBoxRoot(): Promise<string> {
  await boxRoot.install();
  return rootFolder();
}

async function rootFolder(): Promise<string> {
  const version = createHash('sha256')
    .update(JSON.stringify([packages, masked, edition]))
    .digest('hex')
    .slice(0, 8);
  return join(await engineFolder('box'), `root-${version}`);
}

async function prepare(root: string): Promise<void> {
  await writeFile(join(root, 'etc/hostname'), 'box\n');
  await writeFile(join(root, 'etc/fstab'), '');
  // No name server: a look-up of a name on the internet fails at once.
  await writeFile(join(root, 'etc/resolv.conf'), '');
  // Empty: every box gets an identity of its own at its start.
  await writeFile(join(root, 'etc/machine-id'), '');
  execFileSync('chroot', [root, 'systemctl', '--quiet', 'mask', ...masked], { stdio: ['ignore', 'ignore', 'pipe'] });
}
