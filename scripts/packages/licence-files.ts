// Packages of others in a bundle, and the texts of their licences.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Folders of the packages that these modules belong to, each once. */
export const packageFolders = (modules: readonly string[]): string[] =>
  [...new Set(modules.flatMap((path) => packageFolder.exec(path) ?? []))].toSorted();

export function licenceIn(folder: string): string | undefined {
  const [file] = globSync('{LICENSE,LICENCE,license,licence,COPYING}*', { cwd: folder }).toSorted();
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8');
}
