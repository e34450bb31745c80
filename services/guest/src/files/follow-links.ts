import { readlink, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { systemCode } from '../http/fault.ts';

// Same limit as in the kernel.
const maxLinks = 40;

export interface Target {
  readonly target: string;
  /** True where there was nothing yet. */
  readonly isFree: boolean;
}

/**
 * Resolves the target of a write to `path`: its folder without links and the name in it, also when the file does not
 * exist yet. The folder of a link is resolved before the link, since `..` in a link means the parent of that folder,
 * not of the path that led there.
 */
export async function followLinks(path: string): Promise<Target> {
  let current = path;
  for (let links = 0; links <= maxLinks; links += 1) {
    const folder = await realpath(posix.dirname(current));
    const target = posix.join(folder, posix.basename(current));
    const found = await linkAt(target);
    if (found.link === undefined) return { target, isFree: found.isFree };
    current = found.link.startsWith('/') ? found.link : `${folder}/${found.link}`;
  }
  throw Object.assign(new Error(`Too many links: ${path}`), { code: 'ELOOP', syscall: 'open' });
}

async function linkAt(path: string): Promise<{ link?: string; isFree: boolean }> {
  try {
    return { link: await readlink(path), isFree: false };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EINVAL' || code === 'ENOENT') return { isFree: code === 'ENOENT' };
    throw error;
  }
}
