// Licences of packages of others in a bundle: most demand that their text goes along with every copy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenceIn, packageFolders } from './licence-files.ts';

/** Takes the paths of all modules of the bundle. */
export const foreignLicences = (modules: readonly string[]): string =>
  packageFolders(modules).map(licenceOf).join('\n');

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = licenceIn(folder);
  if (text === undefined) throw new Error(`${name} has no file with its licence, so no bundle may hold it.`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
