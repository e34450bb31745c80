// Image of two megabytes that answers HTTP, for tests that start many containers, or push and pull.
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';
import { importImage } from './import-image.ts';

const busybox = '/bin/busybox';
const imageName = 'berth-tiny';
const commands = ['sh', 'sleep', 'cat', 'wget', 'dmesg', 'uname', 'ip', 'env'];

export const tinyImage: Installable = {
  name: 'tiny-image',
  async install() {
    requireDebianPackages('busybox', ['busybox-static'], [busybox]);
  },
};

/** Settings of the image, in Dockerfile syntax. */
export const tinyImageSettings = [
  'ENV PATH=/bin',
  'USER 1000:1000',
  'CMD ["busybox","httpd","-f","-p","8080","-h","/www"]',
];

/** Imports an image that answers `berth` on port 8080 as user 1000 into the engine at `url`, and returns its name. */
export async function importTinyImage(url: string): Promise<string> {
  await importImage(url, imageName, await tinyImageTar(), tinyImageSettings);
  return `${imageName}:latest`;
}

/** File system of the image. */
export async function tinyImageTar(): Promise<Buffer> {
  await tinyImage.install();
  const root = await mkdtemp(join(tmpdir(), 'berth-tiny-'));
  try {
    await chmod(root, 0o755);
    for (const folder of ['bin', 'www', 'tmp']) await mkdir(join(root, folder));
    await copyFile(busybox, join(root, 'bin/busybox'));
    for (const command of commands) await symlink('busybox', join(root, 'bin', command));
    await writeFile(join(root, 'www/index.html'), 'berth\n');
    return execFileSync('tar', ['--create', '--numeric-owner', '--directory', root, '.'], { maxBuffer: 64_000_000 });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
