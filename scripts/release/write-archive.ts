// Archives whose bytes depend on nothing but their content: files in a fixed order, of one owner, with one time.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { packTar, type TarSource } from 'modern-tar/fs';
import { filesBelow } from './files-below.ts';

const executable = 0o755;
const plain = 0o644;

/** Files of a folder, as the archive names them. */
export async function sourcesBelow(folder: string, prefix: string, mtime: Date): Promise<TarSource[]> {
  const paths = await filesBelow(folder);
  return Promise.all(
    paths.map(async (path) => {
      const source = join(folder, path);
      const mode = ((await stat(source)).mode & 0o111) === 0 ? plain : executable;
      return { type: 'file', source, target: `${prefix}${path}`, mode, ...owner, mtime } as const;
    }),
  );
}

export const contentAt = (target: string, content: string | Uint8Array, mtime: Date): TarSource => ({
  ...{ type: 'content', target, content, mode: plain, ...owner, mtime },
});

const owner = { uid: 0, gid: 0, uname: '', gname: '' };

/** Compressed where the name says so. */
export async function writeArchive(sources: readonly TarSource[], file: string): Promise<void> {
  const steps: Writable = createWriteStream(file);
  const archive = packTar([...sources], { concurrency: 1 });
  if (file.endsWith('.gz')) await pipeline(archive, createGzip({ level: 6 }), steps);
  else await pipeline(archive, steps);
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
