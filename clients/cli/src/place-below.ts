import { resolve, sep } from 'node:path';

/** Path of a file below a folder of this machine. Throws for a name that leads out of it. */
export function placeBelow(folder: string, path: string): string {
  const place = resolve(folder, path);
  if (place.startsWith(`${resolve(folder)}${sep}`)) return place;
  throw new Error(
    `The sandbox names the file "${path}", which is not below the folder that is copied. Nothing was copied.`,
  );
}
