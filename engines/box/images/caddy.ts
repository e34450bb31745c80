import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { caddyProgram, caddyVersion } from '../../caddy.ts';
import { type ImageRecipe, searchPath } from './recipe.ts';

export const caddyImage: ImageRecipe = {
  image: `berth-box/caddy:${caddyVersion}`,
  variable: 'BERTH_CADDY_IMAGE',
  layer: {
    name: 'caddy',
    packages: [],
    inputs: [caddyVersion],
    async finish(root) {
      await copyFile(await caddyProgram(), join(root, 'usr/bin/caddy'));
      await chmod(join(root, 'usr/bin/caddy'), 0o755);
      for (const folder of ['etc/caddy', 'config/caddy', 'data/caddy', 'srv'])
        await mkdir(join(root, folder), { recursive: true });
    },
  },
  config: {
    Env: [`PATH=${searchPath}`, 'XDG_CONFIG_HOME=/config', 'XDG_DATA_HOME=/data'],
    Cmd: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
    WorkingDir: '/srv',
  },
};
