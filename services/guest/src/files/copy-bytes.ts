import type { FileHandle } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/guest';

const bufferBytes = bytesPerMb;

/** Hands over the first `size` bytes of a file, one buffer at a time. Returns how many there were. */
export async function copyBytes(
  from: FileHandle,
  size: number,
  take: (bytes: Buffer) => Promise<void>,
  buffer = Buffer.allocUnsafe(Math.min(bufferBytes, Math.max(size, 1))),
): Promise<number> {
  let at = 0;
  while (at < size) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) break;
    await take(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return at;
}
