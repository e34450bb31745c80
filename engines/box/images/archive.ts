// Images in the form that `docker load` takes. Images of one archive share their layers.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Layer } from './layer.ts';
import type { ImageRecipe } from './recipe.ts';

export interface LayeredImage {
  readonly recipe: ImageRecipe;
  readonly layers: readonly Layer[];
}

/** `folder` is on the disk of the layers, and is removed. */
export async function writeImages(images: readonly LayeredImage[], folder: string, file: string): Promise<void> {
  await mkdir(folder);
  const manifest = [];
  for (const { recipe, layers } of images) {
    const config = JSON.stringify({
      ...{ architecture: 'amd64', os: 'linux', created: '2000-01-01T00:00:00Z', config: recipe.config },
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
      history: layers.map(({ file: from }) => ({ created: '2000-01-01T00:00:00Z', created_by: basename(from) })),
    });
    const name = `${createHash('sha256').update(config).digest('hex')}.json`;
    await writeFile(join(folder, name), config);
    manifest.push({ Config: name, RepoTags: [recipe.image], Layers: layers.map(nameOf) });
  }
  const layers = new Map(images.flatMap((image) => image.layers).map((layer) => [nameOf(layer), layer.file]));
  for (const [name, from] of layers) await link(from, join(folder, name));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  // As Docker writes it: without a leading dot. What a reader looks at first comes first.
  const names = ['manifest.json', ...manifest.map(({ Config }) => Config), ...layers.keys()];
  execFileSync('tar', ['--create', '--numeric-owner', '--directory', folder, '--file', file, ...names]);
  await rm(folder, { recursive: true });
}

const nameOf = ({ digest }: Layer): string => `${digest.replace('sha256:', '')}.tar`;
