// A release of these sources, as operators install it, with a signature by a key of the cache. Made once for the state of the sources.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdtemp, rm, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assets } from '@berth/release';
import { engineFolder } from './folders.ts';
import { renameUnlessThere } from './guest/rename-unless-there.ts';
import { gvisor } from './gvisor.ts';
import { hashFiles } from './hash-files.ts';
import { removeOld } from './remove-old.ts';

const clone = resolve(import.meta.dirname, '..');
const services = ['api', 'gateway', 'orchestrator', 'runner', 'server', 'guest'].map((name) => `services/${name}/src`);
const inputs = [
  ...['packages', ...services, 'services/guest/native', 'engines/guest', 'scripts/release', 'scripts/release.ts'],
  ...['engines/server-bundle.ts', 'pnpm-lock.yaml', 'package.json', 'deploy', ...assets],
];

export interface BuiltRelease {
  /** Holds the archive, the image of the control plane, `SHA256SUMS`, `SHA256SUMS.sig` and `public.pem`. */
  readonly folder: string;
  /** Name of the archive. */
  readonly archive: string;
}

export async function builtRelease(): Promise<BuiltRelease> {
  const root = await engineFolder('release');
  const folder = join(root, hashFiles(clone, inputs));
  if (!existsSync(folder)) {
    await gvisor.install();
    const staging = await mkdtemp(join(root, 'making-'));
    try {
      makeKey(staging);
      const words = ['scripts/release.ts', '--out', staging, '--key', join(staging, 'key.pem')];
      execFileSync(process.execPath, words, { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
      await chmod(staging, 0o755);
      await renameUnlessThere(staging, folder);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  await utimes(folder, new Date(), new Date());
  await removeOld(root);
  const [archive] = globSync('*-linux-x64.tar.gz', { cwd: folder });
  if (archive === undefined) throw new Error(`${folder} holds no archive. Remove it, then run the command again.`);
  return { folder, archive };
}

function makeKey(folder: string): void {
  const openssl = (...words: string[]): void => void execFileSync('openssl', words, { stdio: 'ignore' });
  openssl('genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'key.pem'));
  openssl('pkey', '-in', join(folder, 'key.pem'), '-pubout', '-out', join(folder, 'public.pem'));
}
