import type { Stats } from 'node:fs';
import { posix } from 'node:path';
import type { FileDescription } from '@berth/contract/guest';
import type { AccountNames } from './account-names.ts';

// Range of a JavaScript date; the time of a file may lie outside it.
const maxTimeMs = 8.64e15;

const permissionBits = 0o7777;

export function describeFile(path: string, stats: Stats, names: AccountNames): FileDescription {
  return {
    path,
    name: posix.basename(path),
    permissions: (stats.mode & permissionBits).toString(8),
    size: stats.size,
    lastModified: changedAt(stats).toISOString(),
    owner: names.owner(stats.uid),
    group: names.group(stats.gid),
  };
}

export function changedAt({ mtimeMs }: Stats): Date {
  return new Date(Math.max(-maxTimeMs, Math.min(maxTimeMs, mtimeMs)));
}
