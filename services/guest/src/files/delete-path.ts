// Deletes the path itself: a link is deleted, never its target. In a tree every step starts from a directory that is
// held open and was opened without following a link, so a link that replaces a directory meanwhile leads nowhere.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rmdir, unlink } from 'node:fs/promises';
import { Fault, systemCode } from '../http/fault.ts';
import { directoryEntries, type Entry, entryPath } from './directory-entries.ts';
import { type FileAction, withFaults } from './system-fault.ts';

export type DeleteOptions = { recursive?: boolean; echoed?: string; doing?: FileAction };

/** Other processes may add to a tree while it is deleted: number of passes before it is reported as not empty. */
const maxRounds = 5;
const concurrentDeletes = 32;
const openDirectoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const changedKindCodes: ReadonlySet<string | undefined> = new Set(['ENOTDIR', 'EISDIR', 'ELOOP', 'EPERM']);

/** Returns the kind of the deleted entry. */
export async function deletePath(
  path: string,
  { recursive = false, echoed = path, doing = 'delete' }: DeleteOptions = {},
): Promise<'file' | 'directory'> {
  if (path === '/') throw new Fault(422, 'The root directory cannot be deleted. Name what is in it.');
  return withFaults(doing, echoed, async () => {
    const isDirectory = (await lstat(path)).isDirectory();
    if (!isDirectory) await unlink(path);
    else if (recursive) await deleteTree(Buffer.from(path));
    else await rmdir(path);
    return isDirectory ? 'directory' : 'file';
  });
}

async function deleteTree(path: Buffer): Promise<void> {
  for (let round = 1; ; round += 1) {
    await emptyDirectory(path, round === maxRounds);
    try {
      await rmdir(path);
      return;
    } catch (error) {
      if (isGone(error)) return;
      if (round === maxRounds || !isNotEmpty(error)) throw error;
    }
  }
}

async function emptyDirectory(path: Buffer, isLastRound: boolean): Promise<void> {
  const handle = await openDirectory(path);
  if (handle === undefined) return;
  try {
    // The kernel resolves this to the open directory, even after a rename.
    const held = Buffer.from(`/proc/self/fd/${handle.fd}`);
    const entries = await directoryEntries(held);
    for (let at = 0; at < entries.length; at += concurrentDeletes) {
      await allSettled(
        entries.slice(at, at + concurrentDeletes).filter((entry) => !entry.isDirectory),
        (entry) => deleteEntry(held, entry, isLastRound),
      );
    }
    // Directories one at a time: each level of a tree costs one descriptor, however wide it is.
    for (const entry of entries) if (entry.isDirectory) await deleteEntry(held, entry, isLastRound);
  } finally {
    await handle.close();
  }
}

/**
 * Opens the directory itself. Undefined when it is gone or was replaced by something else; the next round sees what is
 * there. gVisor follows a link here despite O_NOFOLLOW, so the opened inode is compared.
 */
async function openDirectory(path: Buffer): Promise<FileHandle | undefined> {
  try {
    const named = await lstat(path, { bigint: true });
    const handle = await open(path, openDirectoryFlags);
    const held = await handle.stat({ bigint: true });
    if (named.isDirectory() && held.ino === named.ino && held.dev === named.dev) return handle;
    await handle.close();
    return undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Tries all items before it throws the first error, so that none is still running by then. */
async function allSettled<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function deleteEntry(folder: Buffer, entry: Entry, isLastRound: boolean): Promise<void> {
  const path = entryPath(folder, entry);
  try {
    if (entry.isDirectory) await deleteTree(path);
    else await unlink(path);
  } catch (error) {
    if (isGone(error)) return;
    // The entry changed its kind since it was listed; the next round handles it.
    if (!isLastRound && changedKindCodes.has(systemCode(error)) && (await changedKind(path, entry))) return;
    throw error;
  }
}

async function changedKind(path: Buffer, entry: Entry): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() !== entry.isDirectory;
}

const isGone = (error: unknown) => systemCode(error) === 'ENOENT';
const isNotEmpty = (error: unknown) => systemCode(error) === 'ENOTEMPTY' || systemCode(error) === 'EEXIST';
