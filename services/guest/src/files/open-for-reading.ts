// Opens regular files only, never a file that could block the guest indefinitely: a pipe without a writer, a terminal.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Fault } from '../http/fault.ts';

const readWithoutWaitingFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export type OpenedFile = { handle: FileHandle; stats: Stats };

/**
 * Checks the kind before opening, since opening a pipe or a device has side effects, and again afterwards, since the
 * path may have been replaced in between.
 */
export async function openForReading(path: string): Promise<OpenedFile> {
  refuseSpecial(path, await stat(path));
  const handle = await open(path, readWithoutWaitingFlags);
  try {
    const stats = await handle.stat();
    refuseSpecial(path, stats);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refuseSpecial(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw new Fault(422, `${path} is ${kindOf(stats)}, not a file. Use it from a process inside the sandbox.`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
