// Drops a container's page cache: files that the kernel keeps in memory only because there is room.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cgroup, cgroupOfContainer } from './find.ts';

/** Best effort: an incomplete reclaim is not an error. */
export async function dropCache(container: { readonly id: string; readonly pid: number }): Promise<void> {
  const group = await cgroupOfContainer(container, 'memory');
  if (group !== undefined) await ways[group.version]((name) => join(group.folder, name)).catch(() => {});
}

type Way = (file: (name: string) => string) => Promise<void>;

const ways: Readonly<Record<Cgroup['version'], Way>> = {
  1: (file) => writeFile(file('memory.force_empty'), '0'),
  2: async (file) => {
    const bytes = (await readFile(file('memory.current'), 'utf8')).trim();
    await writeFile(file('memory.reclaim'), bytes, { flag: 'r+' }).catch((error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? reclaimByMark(file) : undefined,
    );
  },
};

/** Kernels before 5.19 reclaim memory when `memory.high` falls below the current usage. */
const reclaimByMark: Way = async (file) => {
  await writeFile(file('memory.high'), '0');
  await writeFile(file('memory.high'), 'max');
};
