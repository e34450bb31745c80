// The release of these sources under another version, with changes of a test. Signed with the same key.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { builtRelease } from './release.ts';
import { runFolder } from './run.ts';

const clone = resolve(import.meta.dirname, '..');
const versionFiles = ['release.json', 'services/runner/package.json'];

/** Below `releases` of the run, in a folder named by the version. */
export async function changedRelease(
  version: string,
  change: (folder: string) => Promise<void> = async () => {},
): Promise<void> {
  const built = await builtRelease();
  const out = await runFolder('releases', version);
  const files = join(await runFolder('release-files'), version);
  await mkdir(files, { recursive: true });
  execFileSync('tar', ['-xzf', join(built.folder, built.archive), '-C', files, '--strip-components', '1']);
  for (const name of versionFiles) {
    const path = join(files, name);
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), version }));
  }
  await change(files);
  const words = ['scripts/release.ts', '--files', files, '--out', out, '--key', join(built.folder, 'key.pem')];
  execFileSync(process.execPath, words, { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
  await rm(files, { recursive: true });
}
