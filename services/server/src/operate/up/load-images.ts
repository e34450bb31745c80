// Images come from archives where there are some, and from their registries otherwise.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { neededImages } from '../install/image-names.ts';
import { commandOf } from '../install/install-record.ts';
import type { MachineContext } from '../install/machine-context.ts';
import { requireRecord } from '../install/require-record.ts';
import { hasImage } from '../machine/docker.ts';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';

const Manifest = z.array(z.object({ RepoTags: z.array(z.string()).nullish() }));

export const loadImages: Step<MachineContext> = {
  name: 'images',
  isDone: async (context) => (await missing(context)).length === 0,
  async run(context) {
    const { run } = context;
    for (const archive of await archives(context)) {
      const names = await namesIn(context, archive);
      if (!isWanted(context, names)) continue;
      await remember(context, names);
      await run('docker', ['load', '--quiet', '--input', archive]);
    }
    const absent = await missing(context);
    await remember(context, absent);
    for (const image of absent) await pull(context, image);
    return `${needed(context).length} present`;
  },
};

const needed = (context: MachineContext): string[] => neededImages(requireRecord(context), context.release.version);

/** A runner alone has no use for the images of the control plane. */
const isWanted = (context: MachineContext, names: readonly string[]): boolean =>
  requireRecord(context).kind === 'deployment' || names.some((name) => needed(context).includes(name));

async function missing(context: MachineContext): Promise<string[]> {
  const names = needed(context);
  const found = await Promise.all(names.map((name) => hasImage(context.run, name)));
  return names.filter((_, index) => !found[index]);
}

async function archives({ imagesFolder, controlImage }: MachineContext): Promise<string[]> {
  const names = imagesFolder === undefined ? [] : await readdir(imagesFolder);
  const found = names.filter((name) => name.endsWith('.tar')).sort();
  const inFolder = imagesFolder === undefined ? [] : found.map((name) => join(imagesFolder, name));
  return [controlImage, ...inFolder]
    .filter((path) => path !== undefined && existsSync(path))
    .filter((path) => path !== undefined);
}

async function namesIn({ run }: MachineContext, archive: string): Promise<string[]> {
  const manifest = await run('tar', ['--extract', '--to-stdout', '--file', archive, 'manifest.json']);
  return Manifest.parse(JSON.parse(manifest)).flatMap(({ RepoTags }) => RepoTags ?? []);
}

/** Before they are loaded: a later uninstall removes those that were not there. */
async function remember(context: MachineContext, names: readonly string[]): Promise<void> {
  const found = await Promise.all(names.map((name) => hasImage(context.run, name)));
  const record = requireRecord(context);
  const brought = new Set([...record.broughtImages, ...names.filter((_, index) => !found[index])]);
  await context.save({ ...record, broughtImages: [...brought] });
}

async function pull(context: MachineContext, image: string): Promise<void> {
  const { run } = context;
  await run('docker', ['pull', '--quiet', image]).catch((cause: unknown) => {
    throw new Fault(
      `The image ${image} is not on this machine and cannot be pulled.`,
      `put its archive (docker save) into a folder, then run: berth-server ${commandOf(requireRecord(context))} --images FOLDER`,
      { cause },
    );
  });
}
