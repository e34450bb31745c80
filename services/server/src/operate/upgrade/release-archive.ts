// The archive of a release, with the files that lie beside it, as install.sh takes them.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Fault } from '../machine/fault.ts';

export interface ReleaseArchive {
  readonly file: string;
  readonly version: string;
  /** Archive of the control plane's image; undefined when it does not lie beside the release. */
  readonly image: string | undefined;
  readonly hashes: string;
  readonly signature: string;
}

export function releaseArchive(path: string): ReleaseArchive {
  const file = resolve(path);
  const [, version] = /^berth-(\d[\w.+-]*)-linux-x64\.tar\.gz$/.exec(basename(file)) ?? [];
  if (version === undefined)
    throw new Fault(
      `${path} is not named like an archive of a release.`,
      'give it back its name, berth-VERSION-linux-x64.tar.gz',
    );
  if (!existsSync(file))
    throw new Fault(`There is no file ${file}.`, 'berth-server upgrade FILE, with the path of the archive');
  const folder = dirname(file);
  const image = join(folder, `berth-${version}-image-linux-x64.tar`);
  const hashes = join(folder, 'SHA256SUMS');
  return { file, version, image: existsSync(image) ? image : undefined, hashes, signature: `${hashes}.sig` };
}
