// Layers of the images for a box. Each is a tar, made once for what it is made from.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { installInRoot } from '../../apt-install.ts';
import { makeDebianRoot } from '../../debian-root.ts';
import { engineFolder } from '../../folders.ts';
import { archiveRoot, unpackRoot } from '../../root-archive.ts';

export interface Layer {
  readonly file: string;
  /** `sha256:` and the hash of the tar. */
  readonly digest: string;
}

export interface LayerRecipe {
  readonly name: string;
  /** Debian packages. */
  readonly packages: readonly string[];
  /** Everything else that decides about the contents. */
  readonly inputs: readonly string[];
  /** Called between a root with the base and the packages. */
  readonly before?: (root: string) => Promise<void>;
  /** Called when the packages are installed. */
  readonly finish?: (root: string) => Promise<void>;
}

const basePackages = ['ca-certificates'];
/** Raise this number when the code below alters the contents of layers. */
const edition = 1;
const notKept = ['var/cache', 'var/lib/apt/lists', 'var/log', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'];

/** Debian 13, which all images share. */
export function baseLayer(): Promise<Layer> {
  return cached('base', [...basePackages], async (staging, file) => {
    const root = join(staging, 'root');
    await makeDebianRoot({ suite: 'trixie', packages: basePackages, target: root });
    await archiveRoot(root, file);
  });
}

/** Files that packages and `finish` add to the base. Files of the base stay, also where a package removes some. */
export async function addedLayer({ name, packages, inputs, before, finish }: LayerRecipe): Promise<Layer> {
  const base = await baseLayer();
  return cached(name, [base.digest, ...packages, ...inputs], async (staging, file) => {
    const root = join(staging, 'root');
    await unpackRoot(base.file, root);
    const mark = join(staging, 'mark');
    await writeFile(mark, '');
    // The clock of the disk counts in ticks of some milliseconds.
    await sleep(50);
    await before?.(root);
    if (packages.length > 0) await installInRoot(root, packages);
    await finish?.(root);
    for (const path of notKept) await rm(join(root, path), { recursive: true, force: true });
    const found = execFileSync('find', ['.', '-mindepth', '1', '-cnewer', mark, '-printf', '%P\\n'], {
      cwd: root,
      maxBuffer: 2 ** 26,
    });
    await writeFile(join(staging, 'paths'), found);
    const words = ['--create', '--numeric-owner', '--no-recursion', '--directory', root];
    execFileSync('tar', [...words, '--file', join(staging, 'layer'), '--files-from', join(staging, 'paths')]);
    await rename(join(staging, 'layer'), file);
  });
}

async function cached(
  name: string,
  inputs: readonly string[],
  make: (staging: string, file: string) => Promise<void>,
): Promise<Layer> {
  const folder = await engineFolder('box', 'layers');
  const version = createHash('sha256')
    .update(JSON.stringify([edition, ...inputs]))
    .digest('hex')
    .slice(0, 12);
  const file = join(folder, `${name}-${version}.tar`);
  if (!existsSync(file)) {
    const staging = await mkdtemp(join(folder, 'making-'));
    try {
      await make(staging, join(staging, 'whole'));
      await writeFile(`${file}.digest`, await digestOf(join(staging, 'whole')));
      await rename(join(staging, 'whole'), file);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  return { file, digest: await readFile(`${file}.digest`, 'utf8') };
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return `sha256:${hash.digest('hex')}`;
}
