// Disk of a virtual machine as users have it: Debian with systemd, cgroup v2 and Debian's Docker. Made once; every
// machine starts from it and keeps its own changes.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDebianRoot } from '../debian-root.ts';
import type { Installable } from '../engine.ts';
import { engineFolder } from '../folders.ts';
import { gvisor, installedRunsc } from '../gvisor.ts';

/** Debian 13 has Docker 26. Debian's next release has Docker 28, and a matching kernel. */
const hostReleases = ['trixie', 'sid'] as const;
export type HostRelease = (typeof hostReleases)[number];

/** Raise this number when a change below alters the contents of the disk. */
const edition = 1;
const sizeGb = 12;

const packages = [
  ...['systemd-sysv', 'udev', 'dbus', 'kmod', 'linux-image-cloud-amd64', 'qemu-guest-agent'],
  ...['docker.io', 'docker-cli'],
  ...['nftables', 'iptables', 'ufw', 'iproute2', 'iputils-ping', 'procps', 'curl'],
];

const units = ['docker', 'containerd', 'systemd-networkd', 'systemd-network-generator', 'qemu-guest-agent'];
/** Units that would start background work at unpredictable times. */
const masked = ['apt-daily.timer', 'apt-daily-upgrade.timer', 'dpkg-db-backup.timer', 'fstrim.timer', 'ufw.service'];

export interface HostImage {
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

const hostImage = (release: HostRelease): Installable => ({
  name: `host-image-${release}`,

  async install() {
    const folder = await imageFolder(release);
    if (existsSync(folder)) return;
    await gvisor.install();
    const staging = await mkdtemp(join(await engineFolder('virtual-host'), 'making-'));
    try {
      const root = join(staging, 'root');
      await makeDebianRoot({ suite: release, packages, target: root, finish: prepare });
      const made = join(staging, 'image');
      await mkdir(made);
      for (const name of ['vmlinuz', 'initrd.img']) await copyFile(bootFile(root, name), join(made, name));
      execFileSync('truncate', ['--size', `${sizeGb}G`, join(made, 'disk.img')]);
      execFileSync('mkfs.ext4', ['-q', '-d', root, join(made, 'disk.img')]);
      await rename(made, folder);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
});

export const hostImages: readonly Installable[] = hostReleases.map(hostImage);

export async function installedHostImage(release: HostRelease): Promise<HostImage> {
  await hostImage(release).install();
  const folder = await imageFolder(release);
  return {
    disk: join(folder, 'disk.img'),
    kernel: join(folder, 'vmlinuz'),
    initrd: join(folder, 'initrd.img'),
  };
}

const imageFolder = async (release: HostRelease): Promise<string> =>
  join(await engineFolder('virtual-host'), `${release}-${edition}`);

function bootFile(root: string, name: string): string {
  const [path] = globSync(join(root, 'boot', `${name}-*`));
  if (path === undefined) throw new Error(`The image has no ${name}. Debian's kernel package was not installed.`);
  return path;
}

async function prepare(root: string): Promise<void> {
  const runsc = await installedRunsc();
  if (runsc === undefined) throw new Error('gVisor was not built. Run "pnpm engines install gvisor".');
  await copyFile(runsc, join(root, 'usr/local/bin/runsc'));
  await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
  for (const name of ['runsc', 'node']) await chmod(join(root, 'usr/local/bin', name), 0o755);
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write('etc/hostname', 'virtual-host\n');
  await write('etc/fstab', '');
  await write('etc/docker/daemon.json', JSON.stringify(dockerSettings, undefined, 2));
  await write('etc/resolv.conf', '');
  execFileSync('chroot', [root, 'systemctl', '--quiet', 'enable', ...units], { stdio: ['ignore', 'ignore', 'pipe'] });
  execFileSync('chroot', [root, 'systemctl', '--quiet', 'mask', ...masked], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Settings from `docs/operations/runners.md`, together with Docker's default firewall rules. */
export const dockerSettings = {
  'live-restore': true,
  runtimes: {
    runsc: {
      path: '/usr/local/bin/runsc',
      runtimeArgs: ['--platform=systrap', '--network=sandbox', '--overlay2=root:self,size=64m'],
    },
  },
};
