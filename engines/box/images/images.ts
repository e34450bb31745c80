// The folder that `install.sh --images` takes: images of all engines as files, and `images.env` with their names. Nothing comes from
// a registry.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Installable } from '../../engine.ts';
import { engineFolder } from '../../folders.ts';
import { type LayeredImage, writeImages } from './archive.ts';
import { caddyImage } from './caddy.ts';
import { addedLayer, baseLayer } from './layer.ts';
import { postgresImage } from './postgres.ts';
import type { ImageRecipe } from './recipe.ts';
import { restateImage } from './restate.ts';
import { sandboxImageFor } from './sandbox.ts';
import { versionIn } from './version-in.ts';

const clone = resolve(import.meta.dirname, '../../..');

export const boxImages: Installable = {
  name: 'box-images',
  async install() {
    await imagesFolder();
  },
};

/**
 * Made once. ClickHouse is not among them: there is no server of it in a registry of packages, and its container asks for more open files
 * than a machine without CAP_SYS_RESOURCE grants.
 */
export async function imagesFolder(): Promise<string> {
  const recipes = [postgresImage, restateImage(), caddyImage, sandboxImageFor(versionIn(clone))];
  const base = await baseLayer();
  const images: LayeredImage[] = [];
  for (const recipe of recipes) images.push({ recipe, layers: [base, await addedLayer(recipe.layer)] });
  const root = await engineFolder('box');
  const folder = join(root, `images-${versionOf(images)}`);
  if (existsSync(folder)) return folder;
  const staging = await mkdtemp(join(root, 'making-'));
  try {
    await writeImages(images, join(staging, 'parts'), join(staging, 'engines.tar'));
    await writeFile(join(staging, 'images.env'), images.map(({ recipe }) => lineOf(recipe)).join(''));
    await chmod(staging, 0o755);
    await rename(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return folder;
}

const lineOf = ({ variable, image }: ImageRecipe): string => `${variable}=${image}\n`;

/** Raise this number when the form of the archive changes. */
const edition = 2;

const versionOf = (images: readonly LayeredImage[]): string =>
  createHash('sha256')
    .update(JSON.stringify([edition, images.map(({ recipe, layers }) => [recipe.image, recipe.config, layers])]))
    .digest('hex')
    .slice(0, 12);
