// New clusters of PostgreSQL. initdb takes a second of CPU time and seconds on a busy disk, so it runs once for each build on a machine;
// every data folder begins as a copy of that cluster, with its password.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engineFolder } from './folders.ts';
import { unprivilegedAccount } from './unprivileged-account.ts';

export const databaseUser = 'berth';
const clusterName = 'cluster';
const passwordName = 'password';

export const clusterOf = (dataFolder: string): string => join(dataFolder, clusterName);

/** Makes the cluster of a data folder unless it is there, and returns the password of its superuser. */
export async function prepareCluster(bin: string, dataFolder: string): Promise<string> {
  const password = join(dataFolder, passwordName);
  if (existsSync(join(clusterOf(dataFolder), 'PG_VERSION'))) return readFile(password, 'utf8');
  const seed = await seedOf(bin);
  await mkdir(dataFolder, { recursive: true });
  await own(dataFolder);
  await copyFile(join(seed, passwordName), password);
  await own(password);
  // Renamed when it is whole: a killed copy must not look like a cluster.
  const copy = `${clusterOf(dataFolder)}.new`;
  await rm(copy, { recursive: true, force: true });
  execFileSync('cp', ['--archive', '--reflink=auto', clusterOf(seed), copy]);
  await rename(copy, clusterOf(dataFolder));
  return readFile(password, 'utf8');
}

async function seedOf(bin: string): Promise<string> {
  const root = await engineFolder('postgres');
  const seed = join(root, `seed-${createHash('sha256').update(bin).digest('hex').slice(0, 8)}`);
  if (existsSync(seed)) return seed;
  const staging = await mkdtemp(join(root, 'making-'));
  try {
    await makeCluster(bin, staging);
    // Another process may have been faster.
    await rename(staging, seed).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return seed;
}

async function makeCluster(bin: string, folder: string): Promise<void> {
  const password = join(folder, passwordName);
  await writeFile(password, randomBytes(18).toString('base64url'), { mode: 0o600 });
  await own(folder);
  await own(password);
  const settings = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth=scram-sha-256', `--username=${databaseUser}`];
  const result = spawnSync(
    join(bin, 'initdb'),
    [...settings, `--pwfile=${password}`, '--no-sync', '-D', clusterOf(folder)],
    { ...unprivilegedAccount(), cwd: folder, encoding: 'utf8' },
  );
  if (result.status !== 0) throw new Error(`initdb failed in ${folder}: ${result.error?.message ?? result.stderr}`);
}

async function own(path: string): Promise<void> {
  const account = unprivilegedAccount();
  if (account) await chown(path, account.uid, account.gid);
}
