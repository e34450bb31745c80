// Image of a sandbox that names none, in `pnpm dev`: the base image with Python, git and curl from Debian's packages.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { environment } from '@berth/telemetry';
import { z } from 'zod';
import { baseImageFile, makeBaseImage } from './base-image.ts';
import { callDocker } from './docker-api.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { importImage } from './import-image.ts';
import { archiveRoot, unpackRoot } from './root-archive.ts';

const imageName = 'berth-sandbox:latest';
const packages = ['ca-certificates', 'curl', 'git', 'procps', 'python3', 'python3-pip', 'python3-venv'];
/** Folder in which commands run, and to which relative paths belong. */
const workFolder = '/workspace';
/** Says from which file an image was imported. */
const sourceLabel = 'berth.source';

export const sandboxImage: Installable = {
  name: 'sandbox-image',

  async install() {
    if (await isSandboxImageMade()) return;
    await makeBaseImage();
    const staging = await mkdtemp(join(await engineFolder('images'), 'making-'));
    try {
      const root = join(staging, 'root');
      await unpackRoot(await baseImageFile(), root);
      await addPackages(root);
      await mkdir(join(root, workFolder));
      await archiveRoot(root, await imageFile());
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
};

export const isSandboxImageMade = async (): Promise<boolean> => existsSync(await imageFile());

/** Imports the image into the engine at `url` unless it has this version, and returns its name. */
export async function importSandboxImage(url: string): Promise<string> {
  await sandboxImage.install();
  const file = await imageFile();
  if ((await importedFrom(url)) === basename(file)) return imageName;
  await importImage(url, imageName, createReadStream(file), [
    'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
    // A sandbox is an environment of its own, so pip may install beside Debian's packages.
    'ENV PIP_BREAK_SYSTEM_PACKAGES=1',
    `LABEL ${sourceLabel}=${basename(file)}`,
    `WORKDIR ${workFolder}`,
    'CMD ["bash"]',
  ]);
  return imageName;
}

const Image = z.object({ Config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }) });

async function importedFrom(url: string): Promise<string | undefined> {
  const answer = await callDocker(url, `GET /images/${imageName}/json`).catch(() => undefined);
  return answer && Image.parse(JSON.parse(answer.body.toString())).Config.Labels?.[sourceLabel];
}

/** Another base or other packages make another file. */
async function imageFile(): Promise<string> {
  const base = basename(await baseImageFile());
  const version = createHash('sha256')
    .update(JSON.stringify([base, packages]))
    .digest('hex')
    .slice(0, 8);
  return join(await engineFolder('images'), `sandbox-${version}.tar`);
}

async function addPackages(root: string): Promise<void> {
  await copyFile('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  const { http_proxy, https_proxy, no_proxy } = environment;
  // Folders such as TMPDIR of the outer environment do not exist inside the root.
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  // The root is thrown away when this fails, so nothing has to be flushed to the disk.
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
