// Writes a file so that no reader sees it half written. Guaranteed:
//  - The bytes go to a new file in the target's folder, which takes the target's name when complete: a reader sees the
//    old contents or the new ones, and a transfer that fails leaves the old ones and no other file.
//  - A link is followed; its target is replaced.
//  - An existing file keeps its permissions and its owner; a new one gets the requested permissions.
//  - A guest that dies during a transfer leaves a file that the next guest deletes (unfinished-transfers.ts).
//  - A file that the account may not write is not replaced either, even if the folder would allow it.
// Not guaranteed:
//  - Other names of the same file (hard links) keep the old contents; access lists and extended attributes are lost.
//  - Nothing is synced to the disk: this protects readers and against broken transfers, not against power loss.
//  - A file that cannot be replaced is overwritten in place, and is half written meanwhile: a mount point, a device, a
//    file in a folder that takes no new ones, a file of another owner that the account cannot give away. Where the
//    folder takes the new file, that file is completed first, so only a full disk can break the copy.
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { Fault, systemCode } from '../http/fault.ts';
import { copyBytes } from './copy-bytes.ts';
import { followLinks, type Target } from './follow-links.ts';
import { makeFolders } from './make-folders.ts';
import { newFileMode } from './parse-permissions.ts';
import { temporaryName } from './temporary-name.ts';
import type { UnfinishedTransfers } from './unfinished-transfers.ts';

export type StagedFile = {
  write(bytes: Buffer): Promise<void>;
  /** Makes the staged bytes the file. `mode` applies to a new file only. */
  commit(mode?: number): Promise<void>;
  /** Does nothing after `commit`, so it may always be called. */
  discard(): Promise<void>;
};

// The last three codes come from file systems such as /proc and cgroups, which take no new files at all.
const notReplaceableCodes: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'EBUSY',
  'EXDEV',
  'ENOENT',
  'EINVAL',
  'ENOTSUP',
]);
const privateFileMode = 0o600;
const overwriteFlags = constants.O_WRONLY | constants.O_TRUNC | constants.O_NONBLOCK | constants.O_NOCTTY;
const createFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Makes missing parent folders. With `unfinished`, the next guest deletes what a guest that died has left. */
export async function stageFile(path: string, unfinished?: UnfinishedTransfers): Promise<StagedFile> {
  const { target, isFree } = await targetOf(path);
  const existing = isFree ? undefined : await writableAt(target);
  if (existing !== undefined && !existing.isFile()) return overwrite(target);
  const temporary = posix.join(posix.dirname(target), temporaryName());
  const forget = await unfinished?.note(temporary);
  try {
    const handle = await open(temporary, createFlags, privateFileMode);
    return replacement({ target, temporary, handle, existing, forget });
  } catch (error) {
    await forget?.();
    if (existing === undefined || !notReplaceableCodes.has(systemCode(error))) throw error;
    return overwrite(target);
  }
}

/** Makes missing parent folders. Most are there, and to look for them first costs as much as the write of a small file. */
async function targetOf(path: string): Promise<Target> {
  try {
    return await followLinks(path);
  } catch {
    await makeFolders(posix.dirname(path));
    return followLinks(path);
  }
}

/** The existing file, undefined if there is none. Throws when it cannot be written. */
async function writableAt(target: string): Promise<Stats | undefined> {
  const stats = await stat(target).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) throw new Fault(422, `${target} is a directory. Name a file inside it, or delete it first.`);
  if (stats.isFIFO() || stats.isSocket()) {
    throw new Fault(
      422,
      `${target} is a ${stats.isFIFO() ? 'pipe' : 'socket'}. Write to it from a process inside the sandbox.`,
    );
  }
  await access(target, constants.W_OK);
  return stats;
}

async function overwrite(target: string): Promise<StagedFile> {
  const handle = await open(target, overwriteFlags);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  return { write: (bytes) => writeAll(handle, bytes), commit: close, discard: close };
}

type Replacement = {
  target: string;
  temporary: string;
  handle: FileHandle;
  existing: Stats | undefined;
  forget: (() => Promise<void>) | undefined;
};

function replacement({ target, temporary, handle, existing, forget }: Replacement): StagedFile {
  let isPending = true;
  const discard = async () => {
    if (!isPending) return;
    isPending = false;
    await handle.close();
    await unlink(temporary).catch(() => undefined);
    await forget?.();
  };
  return {
    write: (bytes) => writeAll(handle, bytes),
    async commit(mode = newFileMode) {
      const isReplaced =
        (await copyOwnerAndMode(handle, existing, mode)) && (await replaceTarget(temporary, target, existing));
      if (!isReplaced) await copyInPlace(handle, target);
      else {
        isPending = false;
        await handle.close();
        await forget?.();
      }
      await discard();
    },
    discard,
  };
}

/** Gives the new file the owner and permissions of the old one. False when the account may not change the owner. */
async function copyOwnerAndMode(handle: FileHandle, existing: Stats | undefined, mode: number): Promise<boolean> {
  if (existing !== undefined) {
    const own = await handle.stat();
    try {
      if (own.uid !== existing.uid || own.gid !== existing.gid) await handle.chown(existing.uid, existing.gid);
    } catch {
      return false;
    }
  }
  // After the change of owner, which clears the set-user-id bit.
  await handle.chmod(existing === undefined ? mode : existing.mode & 0o7777);
  return true;
}

async function replaceTarget(temporary: string, target: string, existing: Stats | undefined): Promise<boolean> {
  try {
    await rename(temporary, target);
    return true;
  } catch (error) {
    if (existing === undefined || !notReplaceableCodes.has(systemCode(error))) throw error;
    return false;
  }
}

async function copyInPlace(from: FileHandle, target: string): Promise<void> {
  const to = await open(target, overwriteFlags);
  try {
    await copyBytes(from, (await from.stat()).size, (bytes) => writeAll(to, bytes));
  } finally {
    await to.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}
