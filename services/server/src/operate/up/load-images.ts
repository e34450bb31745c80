// Images come from archives where there are some, and from their registries otherwise.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { imageNames, neededImages } from '../install/image-names.ts';
import { requireRecord } from '../install/require-record.ts';
import { hasImage } from '../machine/docker.ts';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpContext } from './up-context.ts';

const Manifest = z.array(z.object({ RepoTags: z.array(z.string()).nullish() }));

export const loadImages: Step<UpContext> = {
  name: 'images',
  isDone: async (context) => (await missing(context)).length === 0,
  async run(context) {
    const { run } = context;
    for (const archive of await archives(context)) {
      await remember(context, await namesIn(context, archive));
      await run('docker', ['load', '--quiet', '--input', archive]);
    }
    const absent = await missing(context);
    await remember(context, absent);
    for (const image of absent) await pull(context, image);
    return `${(await needed(context)).length} present`;
  },
};

async function needed(context: UpContext): Promise<string[]> {
  const { images, choices } = requireRecord(context);
  return neededImages(imageNames(context.release.version, images), choices.withLogs);
}

async function missing(context: UpContext): Promise<string[]> {
  const names = await needed(context);
  const found = await Promise.all(names.map((name) => hasImage(context.run, name)));
  return names.filter((_, index) => !found[index]);
}

async function archives({ imagesFolder, controlImage }: UpContext): Promise<string[]> {
  const names = imagesFolder === undefined ? [] : await readdir(imagesFolder);
  const found = names.filter((name) => name.endsWith('.tar')).sort();
  const inFolder = imagesFolder === undefined ? [] : found.map((name) => join(imagesFolder, name));
  return [controlImage, ...inFolder]
    .filter((path) => path !== undefined && existsSync(path))
    .filter((path) => path !== undefined);
}

async function namesIn({ run }: UpContext, archive: string): Promise<string[]> {
  const manifest = await run('tar', ['--extract', '--to-stdout', '--file', archive, 'manifest.json']);
  return Manifest.parse(JSON.parse(manifest)).flatMap(({ RepoTags }) => RepoTags ?? []);
}

/** Before they are loaded: a later uninstall removes those that were not there. */
async function remember(context: UpContext, names: readonly string[]): Promise<void> {
  const found = await Promise.all(names.map((name) => hasImage(context.run, name)));
  const record = requireRecord(context);
  const brought = new Set([...record.broughtImages, ...names.filter((_, index) => !found[index])]);
  await context.save({ ...record, broughtImages: [...brought] });
}

async function pull({ run }: UpContext, image: string): Promise<void> {
  await run('docker', ['pull', '--quiet', image]).catch((cause: unknown) => {
    throw new Fault(
      `The image ${image} is not on this machine and cannot be pulled.`,
      'put its archive (docker save) into a folder, or another name into images.env there, then run: berth-server up --images FOLDER',
      { cause },
    );
  });
}
