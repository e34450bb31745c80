// Root file system of an image as a tar, the form that Docker imports.
import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const notNeeded = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'];

/** Writes beside the root first: `file` is complete or does not exist. */
export async function archiveRoot(root: string, file: string): Promise<void> {
  for (const path of notNeeded) await rm(join(root, path), { recursive: true, force: true });
  const unfinished = `${root}.tar`;
  execFileSync('tar', ['--create', '--numeric-owner', '--file', unfinished, '--directory', root, '.']);
  await rename(unfinished, file);
}

export async function unpackRoot(file: string, root: string): Promise<void> {
  await mkdir(root);
  execFileSync('tar', ['--extract', '--numeric-owner', '--preserve-permissions', '--file', file, '--directory', root]);
}
