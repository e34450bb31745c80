// The files of a backup: written encrypted and hashed in one pass, readable by their owner alone.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { decryptFrames, encryptFrames } from './frames.ts';
import type { StoredFile } from './manifest.ts';

export interface BackupPlace {
  readonly folder: string;
  readonly key: Buffer;
}

/** Resolves once the file is on the disk. */
export async function storeFile(
  { folder, key }: BackupPlace,
  name: string,
  data: AsyncIterable<Buffer>,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(join(folder, name), 'wx', 0o600);
  try {
    for await (const piece of encryptFrames(key, name, data)) {
      hash.update(piece);
      bytes += piece.length;
      await file.writeFile(piece);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** Reads every byte. */
export async function assertUnchanged({ folder }: BackupPlace, { name, bytes, sha256 }: StoredFile): Promise<void> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const piece of read(join(folder, name))) {
    hash.update(piece);
    length += piece.length;
  }
  if (length !== bytes || hash.digest('hex') !== sha256)
    throw new Error(`${name} is not as it was written: it is damaged or was changed. Use another backup.`);
}

export const openStoredFile = ({ folder, key }: BackupPlace, name: string): AsyncIterable<Buffer> =>
  decryptFrames(key, name, read(join(folder, name)));

async function* read(path: string): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) yield Buffer.from(piece);
}
