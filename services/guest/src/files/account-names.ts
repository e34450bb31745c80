// Names of accounts and groups by number, from the current files of the sandbox.
import { stat } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/guest';
import { openForReading } from './open-for-reading.ts';

export type AccountNames = { owner(uid: number): string; group(gid: number): string };

const maxFileBytes = bytesPerMb;
const noNames: ReadonlyMap<number, string> = new Map();

type Known = { changedAtMs: number; size: number; names: ReadonlyMap<number, string> };

const known = new Map<string, Known>();

export async function accountNames(folder = '/etc'): Promise<AccountNames> {
  const [owners, groups] = await Promise.all([namesIn(`${folder}/passwd`), namesIn(`${folder}/group`)]);
  return {
    owner: (uid) => owners.get(uid) ?? String(uid),
    group: (gid) => groups.get(gid) ?? String(gid),
  };
}

/** Falls back to numbers when the file cannot be used: a listing must not fail because of it. */
async function namesIn(path: string): Promise<ReadonlyMap<number, string>> {
  try {
    const { mtimeMs, size } = await stat(path);
    const cached = known.get(path);
    if (cached?.changedAtMs === mtimeMs && cached.size === size) return cached.names;
    const names = parseNames(await readStart(path));
    known.set(path, { changedAtMs: mtimeMs, size, names });
    return names;
  } catch {
    return noNames;
  }
}

async function readStart(path: string): Promise<string> {
  const { handle, stats } = await openForReading(path);
  try {
    const buffer = Buffer.alloc(Math.min(stats.size, maxFileBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** `name:password:number:…`; the first name of a number counts, as in the C library. */
function parseNames(text: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [name, , number] = line.split(':');
    if (!name || !number || !/^\d+$/.test(number)) continue;
    if (!names.has(Number(number))) names.set(Number(number), name);
  }
  return names;
}
