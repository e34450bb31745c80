import { execFileSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';

/** Installs packages of Debian into a root file system that is thrown away when this fails. */
export async function installInRoot(root: string, packages: readonly string[]): Promise<void> {
  await copyFile('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  const { http_proxy, https_proxy, no_proxy } = environment;
  // Folders such as TMPDIR of the outer environment do not exist inside the root.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  // Nothing has to be flushed to the disk.
  const options = ['-qq', '-o', 'Dpkg::Options::=--force-unsafe-io', '-o', 'Dpkg::Use-Pty=0'];
  const apt = (...words: string[]) =>
    execFileSync('chroot', [root, 'apt-get', ...options, ...words], {
      // Part of the error when apt fails; otherwise only remarks.
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { http_proxy, https_proxy, no_proxy, ...env },
    });
  // By default apt only warns when it could not read the lists.
  apt('-o', 'APT::Update::Error-Mode=any', 'update');
  apt('install', '--yes', '--no-install-recommends', ...packages);
}
