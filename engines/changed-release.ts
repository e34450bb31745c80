// The release of these sources under another version, with changes of a test. Signed with the same key.
import { execFileSync } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../scripts/release/write-archive.ts';
import { writeImage } from '../scripts/release/write-image.ts';
import { type BuiltRelease, builtRelease } from './release.ts';
import { runFolder } from './run.ts';

const versionFiles = ['release.json', 'services/runner/package.json'];

export async function changedRelease(
  version: string,
  change: (folder: string) => Promise<void> = async () => {},
): Promise<BuiltRelease> {
  const built = await builtRelease();
  const out = await runFolder('releases', version);
  const scratch = join(out, 'scratch');
  const folder = join(scratch, 'files');
  await mkdir(folder, { recursive: true });
  execFileSync('tar', ['-xzf', join(built.folder, built.archive), '-C', folder, '--strip-components', '1']);
  for (const name of versionFiles) {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), version }));
  }
  await change(folder);
  const name = `berth-${version}-linux-x64`;
  const archive = `${name}.tar.gz`;
  const named = ['--transform', `s,^\\.,${name},`];
  execFileSync('tar', ['-cf', join(out, archive), '-I', 'gzip -1', '-C', folder, ...named, '.']);
  const image = `berth-${version}-image-linux-x64.tar`;
  await writeImage({ folder, version, builtAt: new Date(), scratch: join(scratch, 'image') }, join(out, image));
  await rm(scratch, { recursive: true });
  const hashes = join(out, 'SHA256SUMS');
  for (const file of [archive, image])
    await writeFile(hashes, `${await sha256Of(join(out, file))}  ${file}\n`, { flag: 'a' });
  const key = createPrivateKey(await readFile(join(built.folder, 'key.pem')));
  await writeFile(`${hashes}.sig`, sign(null, await readFile(hashes), key));
  await copyFile(join(built.folder, 'public.pem'), join(out, 'public.pem'));
  return { folder: out, archive };
}
