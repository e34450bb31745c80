// Entries of a directory by name. Names are bytes to the kernel: names that are not UTF-8 are kept as they are, so that
// every entry can be described and deleted.
import { opendir } from 'node:fs/promises';

export type Entry = {
  /** The bytes of the name, one character each. */
  raw: string;
  isDirectory: boolean;
};

const entriesPerRead = 512;

/** Entries sorted by the bytes of their names. `accept` is called for each and may throw to stop the reading. */
export async function directoryEntries(folder: string | Buffer, accept = () => {}): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(folder, { encoding: 'latin1', bufferSize: entriesPerRead })) {
    accept();
    entries.push({ raw: entry.name, isDirectory: entry.isDirectory() });
  }
  return entries.sort((a, b) => (a.raw < b.raw ? -1 : 1));
}

/** The name as text; bytes that are not UTF-8 become U+FFFD. */
export function shownName({ raw }: Entry): string {
  return Buffer.from(raw, 'latin1').toString('utf8');
}

export function entryPath(folder: Buffer, { raw }: Entry): Buffer {
  return Buffer.concat([folder, pathSeparator, Buffer.from(raw, 'latin1')]);
}

const pathSeparator = Buffer.from('/');
