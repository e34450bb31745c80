import { posix } from 'node:path';

/** Path of what a name means below a folder, or of the folder itself. Undefined for a name that leads out of it. */
export function placeBelow(folder: string, name: string): string | undefined {
  const path = posix.join(folder, name).replace(/(?<=.)\/$/, '');
  if (name.includes('\0')) return undefined;
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`) ? path : undefined;
}
