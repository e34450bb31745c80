// pnpm release [--out <folder>] [--key <file>]: builds what operators install: an archive with everything, the image of the control plane,
// the hashes of both, and with a key (Ed25519, PEM) their signature. The same commit gives the same bytes.
// With --files <folder> it packs a release that was unpacked there and changed, for tests of upgrades.
import { createPrivateKey, sign } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { engineFolder } from '../engines/folders.ts';
import { root } from './packages/programs.ts';
import { assembleRelease, describeRelease } from './release/assemble.ts';
import { sha256Of, sourcesBelow, writeArchive } from './release/write-archive.ts';
import { writeImage } from './release/write-image.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist/release') },
    key: { type: 'string' },
    files: { type: 'string' },
  },
});
const out = resolve(values.out);
await mkdir(out, { recursive: true });
const scratch = await mkdtemp(join(await engineFolder('release'), 'building-'));
try {
  const folder = values.files ?? join(scratch, 'files');
  await mkdir(folder, { recursive: true });
  step('files');
  const assemble = values.files === undefined ? assembleRelease : describeRelease;
  const { name, version, builtAt, components } = await assemble(folder);
  step('archive');
  const archive = `${name}.tar.gz`;
  await writeArchive(await sourcesBelow(folder, `${name}/`, builtAt), join(out, archive));
  step('image');
  const image = `berth-${version}-image-linux-x64.tar`;
  await writeImage({ folder, version, builtAt, scratch: join(scratch, 'image') }, join(out, image));
  const lines = await Promise.all(
    [archive, image].map(async (file) => `${await sha256Of(join(out, file))}  ${file}\n`),
  );
  const hashes = join(out, 'SHA256SUMS');
  await writeFile(hashes, lines.join(''));
  if (values.key !== undefined) {
    const key = createPrivateKey(await readFile(values.key));
    await writeFile(`${hashes}.sig`, sign(null, await readFile(hashes), key));
  }
  for (const file of [archive, image]) {
    const { size } = await stat(join(out, file));
    console.log(`${join(out, file)}  ${Math.round(size / 1e6)} MB`);
  }
  console.log(`${hashes}${values.key === undefined ? ', not signed: give --key' : ' and its signature'}`);
  console.log(`${components.length} components of others in sbom.cdx.json`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

function step(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
}
