// Image of a sandbox that names none, in `pnpm dev`: the base image with Python, git and curl from Debian's packages.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { installInRoot } from './apt-install.ts';
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
      await installInRoot(root, packages);
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
