import { mkdir, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { systemCode } from '../http/fault.ts';
import { newDirectoryMode } from './parse-permissions.ts';

/**
 * Makes a folder and its missing parents. Node's own `recursive` is not used: below /proc, where a folder can be
 * neither found nor made, it never returns, and each such call blocks a thread of the guest for good.
 */
export async function makeFolders(path: string): Promise<void> {
  const missing: string[] = [];
  let at = path;
  while (!(await makeOne(at))) {
    missing.push(at);
    at = posix.dirname(at);
  }
  for (const folder of missing.toReversed()) {
    if (!(await makeOne(folder))) await mkdir(folder);
  }
}

/** True when the folder exists now; false when its parent is missing. */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: newDirectoryMode });
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' && path !== '/') return false;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return true;
    throw error;
  }
}
