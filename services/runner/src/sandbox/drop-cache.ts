// Gives back what the kernel keeps in memory for a container only because there is room: files it has read.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cgroupOfContainer } from '../driver/cgroup.ts';
import type { Freezable } from './freezer.ts';

/** As much as can be had; that it was not everything is no failure. */
export async function dropCache({ pid, containerId }: Freezable): Promise<void> {
  const group = await cgroupOfContainer({ id: containerId, pid }, 'memory');
  if (group === undefined) return;
  const file = (name: string): string => join(group.folder, name);
  const dropped =
    group.version === 1
      ? writeFile(file('memory.force_empty'), '0')
      : readFile(file('memory.current'), 'utf8').then((bytes) => writeFile(file('memory.reclaim'), bytes.trim()));
  await dropped.catch(() => {});
}
