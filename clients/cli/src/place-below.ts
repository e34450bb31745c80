import { resolve, sep } from 'node:path';

/** Path of a file below a folder of this machine. Throws for a name that leads out of it. */
export function placeBelow(folder: string, path: string): string {
  const place = resolve(folder, path);
  if (place.startsWith(`${resolve(folder)}${sep}`)) return place;
  throw new Error(`The name "${path}" is not below the folder that is written. It and what follows were not written.`);
}
