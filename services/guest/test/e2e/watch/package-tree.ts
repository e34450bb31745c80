import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes packages as tarballs, which an install unpacks without a registry. Returns the paths of the tarballs. */
export function writePackages(folder: string, packages: number, foldersEach: number, filesEach: number): string[] {
  const tarballs: string[] = [];
  for (let count = 0; count < packages; count += 1) {
    const name = `part-${count}`;
    const content = join(folder, name, 'package');
    mkdirSync(content, { recursive: true });
    writeFileSync(join(content, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
    for (let sub = 0; sub < foldersEach; sub += 1) {
      const place = join(content, `lib/deep-${sub}/deeper`);
      mkdirSync(place, { recursive: true });
      for (let file = 0; file < filesEach; file += 1) writeFileSync(join(place, `file-${file}.js`), `${file}\n`);
    }
    tarballs.push(join(folder, `${name}.tgz`));
    execFileSync('tar', ['-czf', `${folder}/${name}.tgz`, '-C', join(folder, name), 'package']);
    rmSync(join(folder, name), { recursive: true });
  }
  return tarballs;
}

export function writeProject(folder: string, tarballs: readonly string[]): void {
  const dependencies = Object.fromEntries(tarballs.map((path, index) => [`part-${index}`, `file:${path}`]));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0', dependencies }));
}
