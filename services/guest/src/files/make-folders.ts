import { mkdir, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { systemCode } from '../http/fault.ts';
import { NEW_DIRECTORY_MODE } from './parse-permissions.ts';

/**
 * With all that are missing on the way. Not by Node's own `recursive`: below /proc, where a folder can be neither found nor
 * made, it never ends, and each such call takes a thread of the guest away for good.
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

/** True when it is there now; false when the one above it is missing. */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: NEW_DIRECTORY_MODE });
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' && path !== '/') return false;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return true;
    throw error;
  }
}
