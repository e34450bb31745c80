// Archives whose bytes depend on nothing but their content: files in a fixed order, of one owner, with one time.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { packTar, type TarSource } from 'modern-tar/fs';
import { filesBelow } from './files-below.ts';

export const executable = 0o755;
export const plain = 0o644;

/** Files of a folder, as the archive names them. */
export async function sourcesBelow(folder: string, prefix: string, mtime: Date): Promise<TarSource[]> {
  const paths = await filesBelow(folder);
  return Promise.all(
    paths.map(async (path) => {
      const source = join(folder, path);
      const mode = ((await stat(source)).mode & 0o111) === 0 ? plain : executable;
      return fileAt(source, `${prefix}${path}`, mode, mtime);
    }),
  );
}

export const fileAt = (source: string, target: string, mode: number, mtime: Date): TarSource => ({
  ...{ type: 'file', source, target, mode, ...owner, mtime },
});

export const contentAt = (target: string, content: string | Uint8Array, mtime: Date): TarSource => ({
  ...{ type: 'content', target, content, mode: plain, ...owner, mtime },
});

const owner = { uid: 0, gid: 0, uname: '', gname: '' };

/** Compressed where the name says so. */
export async function writeArchive(sources: readonly TarSource[], file: string): Promise<void> {
  const target = createWriteStream(file);
  const archive = packTar([...sources], { concurrency: 1 });
  if (file.endsWith('.gz')) await pipeline(archive, createGzip({ level: 6 }), target);
  else await pipeline(archive, target);
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
