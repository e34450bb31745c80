import { readlink, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { systemCode } from '../http/fault.ts';

// Same limit as in the kernel.
const maxLinks = 40;

/**
 * Resolves the target of a write to `path`: its folder without links and the name in it, also when the file does not
 * exist yet. The folder of a link is resolved before the link, since `..` in a link means the parent of that folder,
 * not of the path that led there.
 */
export async function followLinks(path: string): Promise<string> {
  let current = path;
  for (let links = 0; links <= maxLinks; links += 1) {
    const folder = await realpath(posix.dirname(current));
    const place = posix.join(folder, posix.basename(current));
    const link = await linkAt(place);
    if (link === undefined) return place;
    current = link.startsWith('/') ? link : `${folder}/${link}`;
  }
  throw Object.assign(new Error(`Too many links: ${path}`), { code: 'ELOOP', syscall: 'open' });
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EINVAL' || code === 'ENOENT') return undefined;
    throw error;
  }
}
