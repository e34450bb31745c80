// A part on disk: its bytes, then the 16 bytes of their MD5. One file, so that a part that is sent again replaces data
// and tag in one step, and a reader that has it open gets a matching pair.
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedPart } from '@berth/contract/guest';
import { temporaryName } from '../files/temporary-name.ts';

const tagBytes = 16;
const privateFileMode = 0o600;

const partNamePattern = /^part-(\d{5})$/;

const partName = (partNumber: number) => `part-${String(partNumber).padStart(5, '0')}`;

export function partNumberOf(name: string): number | undefined {
  const digits = partNamePattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A part that is being received: not visible before `keep`. */
export type IncomingPart = {
  write(bytes: Buffer): Promise<void>;
  keep(): Promise<{ etag: string; size: number }>;
  /** Does nothing after `keep`. */
  discard(): Promise<void>;
};

export async function receivePart(folder: string, partNumber: number): Promise<IncomingPart> {
  const temporary = join(folder, temporaryName());
  const handle = await open(temporary, 'wx', privateFileMode);
  const hash = createHash('md5');
  let size = 0;
  let isPending = true;
  return {
    async write(bytes) {
      hash.update(bytes);
      size += bytes.length;
      await handle.appendFile(bytes);
    },
    async keep() {
      const tag = hash.digest();
      await handle.appendFile(tag);
      await rename(temporary, join(folder, partName(partNumber)));
      isPending = false;
      await handle.close();
      return { etag: tag.toString('hex'), size };
    },
    async discard() {
      if (!isPending) return;
      isPending = false;
      await handle.close();
      await unlink(temporary).catch(() => undefined);
    },
  };
}

export type StoredPart = { handle: FileHandle; part: UploadedPart };

/** The caller closes the handle. */
export async function openPart(folder: string, partNumber: number): Promise<StoredPart> {
  const handle = await open(join(folder, partName(partNumber)), 'r');
  try {
    const stats = await handle.stat();
    const size = stats.size - tagBytes;
    const tag = Buffer.alloc(tagBytes);
    await handle.read(tag, 0, tagBytes, size);
    return { handle, part: { partNumber, etag: tag.toString('hex'), size, uploadedAt: stats.mtime.toISOString() } };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
