// Licences of packages of others in a bundle: most demand that their text goes along with every copy.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Takes the paths of all modules of the bundle. */
export function foreignLicences(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => packageFolder.exec(path) ?? []));
  return [...folders].toSorted().map(licenceOf).join('\n');
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [file] = globSync('{LICENSE,LICENCE,license,licence}*', { cwd: folder });
  if (file === undefined) throw new Error(`${name} has no file with its licence, so no bundle may hold it.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
