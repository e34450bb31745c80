// Restate's own program, from npm.
import { chmod, copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { restateProgram } from '../../restate.ts';
import { type ImageRecipe, searchPath } from './recipe.ts';
import { versionIn } from './version-in.ts';

export function restateImage(): ImageRecipe {
  const program = restateProgram();
  const version = versionIn(join(dirname(program), '..'));
  return {
    image: `berth-box/restate:${version}`,
    variable: 'BERTH_RESTATE_IMAGE',
    layer: {
      name: 'restate',
      packages: [],
      inputs: [version],
      async finish(root) {
        const target = join(root, 'usr/local/bin', basename(program));
        await copyFile(program, target);
        await chmod(target, 0o755);
      },
    },
    config: { Env: [`PATH=${searchPath}`], Entrypoint: ['/usr/local/bin/restate-server'], WorkingDir: '/' },
  };
}
