import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface FileRights {
  /** Readable by its owner alone unless it says otherwise. */
  readonly mode?: number;
  /** Number of the account; root when absent. */
  readonly owner?: number;
}

/** Written beside and renamed: a process that is killed leaves the old file or the new file, never a part. */
export async function writeWholeFile(path: string, text: string, { mode = 0o400, owner }: FileRights = {}) {
  const next = `${path}.new`;
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await rm(next, { force: true });
  await writeFile(next, text, { mode, flag: 'wx' });
  if (owner !== undefined) await chown(next, owner, owner);
  await rename(next, path);
}

/** Undefined when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}
