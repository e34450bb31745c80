// Everything below a folder: a folder before its content, in the order of the names' bytes. Links are listed and not
// followed; entries that vanish or may not be read are skipped; the kernel's own trees are left out unless the walk
// starts in them.
import { lstatSync, readdirSync } from 'node:fs';
import { openable, toLatin } from './latin-path.ts';

export type WalkOptions = { root: string; excludeDirs: readonly string[]; excludeHidden: boolean };

/** `path` is relative to the root; both in the form of latin-path.ts. */
export type Entry = { path: string; name: string; kind: Kind };
type Kind = 'file' | 'directory' | 'other';

type Listed = { name: string; isDirectory(): boolean; isFile(): boolean };

const pseudoFolders = new Set(['/proc', '/sys', '/dev']);

export function* walkTree({ root, excludeDirs, excludeHidden }: WalkOptions): Generator<Entry, void> {
  const excluded = new Set(excludeDirs.map(toLatin));
  const start = root === '/' ? '' : toLatin(root);
  // An explicit stack: a tree may be deeper than the call stack allows.
  const open = [{ prefix: '', listed: list(`${start}/`), next: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const found = top.listed[top.next];
    if (found === undefined) {
      open.pop();
      continue;
    }
    top.next += 1;
    const { name } = found;
    if (excludeHidden && name.startsWith('.')) continue;
    const path = top.prefix + name;
    const isDirectory = found.isDirectory();
    if (isDirectory && (excluded.has(name) || pseudoFolders.has(`${start}/${path}`))) continue;
    yield { path, name, kind: isDirectory ? 'directory' : found.isFile() ? 'file' : 'other' };
    if (isDirectory) open.push({ prefix: `${path}/`, listed: list(`${start}/${path}`), next: 0 });
  }
}

function list(folder: string): Listed[] {
  const path = openable(folder);
  let listed: Listed[];
  try {
    listed = readdirSync(path, { withFileTypes: true, encoding: 'latin1' });
  } catch {
    listed = listOneByOne(path, folder);
  }
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * For file systems that do not report kinds of entries: there, one entry that vanishes would fail the whole listing.
 */
function listOneByOne(path: string | Buffer, folder: string): Listed[] {
  try {
    return readdirSync(path, { encoding: 'latin1' }).flatMap((name) => {
      const stat = lstatSync(openable(`${folder}/${name}`), { throwIfNoEntry: false });
      return stat ? { name, isDirectory: () => stat.isDirectory(), isFile: () => stat.isFile() } : [];
    });
  } catch {
    return [];
  }
}
