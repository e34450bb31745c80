import { statfs } from 'node:fs/promises';

/** Free part of a file system, in bytes and files, because either can run out first. */
export interface FreeSpace {
  readonly freeBytes: number;
  readonly sizeBytes: number;
  readonly freeFiles: number;
  /** 0 when the file system has no such limit. */
  readonly sizeFiles: number;
}

/** Counts like `df`: space reserved for root is not free. */
export async function freeSpace(folder: string): Promise<FreeSpace> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(folder);
  return {
    freeBytes: bavail * bsize,
    sizeBytes: (blocks - bfree + bavail) * bsize,
    freeFiles: ffree,
    sizeFiles: files,
  };
}

/** Percentage of bytes or files, the lower of the two. */
export const freePercent = ({ freeBytes, sizeBytes, freeFiles, sizeFiles }: FreeSpace): number =>
  Math.min(percent(freeBytes, sizeBytes), percent(freeFiles, sizeFiles));

const percent = (part: number, whole: number): number => (whole === 0 ? 100 : (100 * part) / whole);
