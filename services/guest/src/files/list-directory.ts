// Directory listings of the API; links are described, not followed. All names are gathered first, within a bound, then
// the entries are described a few at a time, so that a listing needs memory for its names only. An entry that vanishes
// meanwhile is left out; a subdirectory that cannot be read is shown empty.
import { lstat } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Directory, FileDescription } from '@berth/contract/guest';
import { Fault, systemCode } from '../http/fault.ts';
import { type AccountNames, accountNames } from './account-names.ts';
import { describeFile } from './describe-file.ts';
import { directoryEntries, type Entry, entryPath, shownName } from './directory-entries.ts';
import { withFaults } from './system-fault.ts';

const defaultMaxEntries = 200_000;
const concurrentLookups = 64;

export type ListingOptions = {
  /** The path as the caller wrote it; listed paths below it have the same form. */
  echoed?: string;
  /** 1 = only the directory itself. */
  levels?: number;
  maxEntries?: number;
};

/** A directory with the names in it, before its entries are described. */
export type Folder = {
  bytes: Buffer;
  shown: string;
  files: Entry[];
  subfolders: Array<Folder | { shown: string }>;
};

export async function listDirectory(path: string, options: ListingOptions = {}): Promise<Directory> {
  const folder = await gatherFolder(path, options);
  return listed(folder, await accountNames());
}

export async function gatherFolder(
  path: string,
  { echoed = path, levels = 1, maxEntries = defaultMaxEntries }: ListingOptions = {},
): Promise<Folder> {
  let count = 0;
  const counted = () => {
    count += 1;
    if (count <= maxEntries) return;
    throw new Fault(
      422,
      `${echoed} holds more than ${maxEntries} entries, too many for one listing. List a subdirectory, lower depth, or use /filesystem-find.`,
    );
  };
  return withFaults('read', echoed, () => gather(Buffer.from(path), echoed, levels, counted));
}

async function gather(bytes: Buffer, shown: string, levels: number, counted: () => void): Promise<Folder> {
  const folder: Folder = { bytes, shown, files: [], subfolders: [] };
  for (const entry of await directoryEntries(bytes, counted)) {
    if (!entry.isDirectory) folder.files.push(entry);
    else folder.subfolders.push(await subfolder(folder, entry, levels - 1, counted));
  }
  return folder;
}

async function subfolder(
  parent: Folder,
  entry: Entry,
  levels: number,
  counted: () => void,
): Promise<Folder | { shown: string }> {
  const shown = posix.join(parent.shown, shownName(entry));
  if (levels < 1) return { shown };
  const bytes = entryPath(parent.bytes, entry);
  try {
    return await gather(bytes, shown, levels, counted);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return { bytes, shown, files: [], subfolders: [] };
  }
}

/** Yields pieces of a bounded size, each ready to be part of a JSON array. */
export async function* descriptions(folder: Folder, names: AccountNames): AsyncGenerator<FileDescription[]> {
  for (let at = 0; at < folder.files.length; at += concurrentLookups) {
    const described = await Promise.all(
      folder.files.slice(at, at + concurrentLookups).map((entry) => describeEntry(folder, entry, names)),
    );
    yield described.filter((one) => one !== undefined);
  }
}

async function describeEntry(folder: Folder, entry: Entry, names: AccountNames): Promise<FileDescription | undefined> {
  const stats = await lstat(entryPath(folder.bytes, entry)).catch(() => undefined);
  // The entry vanished or became a directory; the next listing shows it.
  if (stats === undefined || stats.isDirectory()) return undefined;
  return describeFile(posix.join(folder.shown, shownName(entry)), stats, names);
}

async function listed(folder: Folder, names: AccountNames): Promise<Directory> {
  const files: FileDescription[] = [];
  for await (const some of descriptions(folder, names)) files.push(...some);
  const subdirectories: Directory['subdirectories'] = [];
  for (const one of folder.subfolders) {
    subdirectories.push('files' in one ? await listed(one, names) : named(one.shown));
  }
  return { ...named(folder.shown), files, subdirectories };
}

export function named(shown: string): { path: string; name: string } {
  return { path: shown, name: posix.basename(shown) };
}
