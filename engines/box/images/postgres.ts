// PostgreSQL of Debian 13, with its client programs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageRecipe, searchPath } from './recipe.ts';

const version = '17';
const entrypoint = join(import.meta.dirname, 'postgres-entrypoint.sh');
/** The compiler for queries takes 150 MB. PostgreSQL goes on without it. */
const compiler = ['usr/lib/llvm-19', `usr/lib/postgresql/${version}/lib/bitcode`];
const compilerLibraries = 'rm --force usr/lib/x86_64-linux-gnu/libLLVM* usr/lib/x86_64-linux-gnu/libz3*';

export const postgresImage: ImageRecipe = {
  image: `berth-box/postgres:${version}`,
  variable: 'BERTH_POSTGRES_IMAGE',
  layer: {
    name: 'postgres',
    packages: [`postgresql-${version}`],
    inputs: [readFileSync(import.meta.filename, 'utf8'), readFileSync(entrypoint, 'utf8')],

    async before(root) {
      // The numbers of the official image, which own the files of a data folder.
      execFileSync('chroot', [root, 'groupadd', '--gid', '999', 'postgres']);
      const home = ['--home-dir', '/var/lib/postgresql', '--shell', '/bin/bash'];
      execFileSync('chroot', [root, 'useradd', '--uid', '999', '--gid', '999', ...home, 'postgres']);
      await mkdir(join(root, 'etc/postgresql-common'), { recursive: true });
      await writeFile(join(root, 'etc/postgresql-common/createcluster.conf'), 'create_main_cluster = false\n');
    },

    async finish(root) {
      for (const path of compiler) await rm(join(root, path), { recursive: true, force: true });
      execFileSync('sh', ['-c', compilerLibraries], { cwd: root });
      await copyFile(entrypoint, join(root, 'usr/local/bin/docker-entrypoint.sh'));
      await chmod(join(root, 'usr/local/bin/docker-entrypoint.sh'), 0o755);
    },
  },
  config: {
    Env: [
      `PATH=${searchPath}:/usr/lib/postgresql/${version}/bin`,
      'PGDATA=/var/lib/postgresql/18/docker',
      'LANG=C.UTF-8',
    ],
    Entrypoint: ['docker-entrypoint.sh'],
    Cmd: ['postgres'],
  },
};
