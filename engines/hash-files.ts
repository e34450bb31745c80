import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const isLeftOut = (path: string): boolean => /\.test\.ts$|\/node_modules\//.test(path);

/** Hash of files and of all files in folders, by their paths below `root` and what they hold. Tests do not count. */
export function hashFiles(root: string, paths: readonly string[], ...further: readonly string[]): string {
  const hash = createHash('sha256').update(process.version).update(further.join(' '));
  for (const path of paths.flatMap((one) => filesAt(root, one)).toSorted())
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

function filesAt(root: string, path: string): string[] {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found?.isFile()) return [path];
  if (found === undefined) return [];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !isLeftOut(file));
}
