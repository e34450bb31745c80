import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageRecipe, searchPath } from './recipe.ts';

/** The smallest image that is of use in a sandbox. */
export const sandboxImageFor = (version: string): ImageRecipe => ({
  image: `berth-sandbox-base:${version}`,
  variable: 'BERTH_SANDBOX_IMAGE',
  layer: {
    name: 'sandbox',
    packages: ['curl', 'git'],
    inputs: ['workspace'],
    async finish(root) {
      await mkdir(join(root, 'workspace'));
    },
  },
  config: { Env: [`PATH=${searchPath}`], Cmd: ['bash'], WorkingDir: '/workspace' },
});
