// Finds a container's writable layer: the folder on this machine that takes its writes to the root file system.
import { readFile } from 'node:fs/promises';
import type { ContainerInspectInfo } from 'dockerode';
import { z } from 'zod';

/** With the storage driver overlay2 of its own image store, the engine names the folder. */
const Named = z.object({ GraphDriver: z.object({ Data: z.object({ UpperDir: z.string() }) }) });

/**
 * With containerd's image store the engine does not name the folder, but mounts the root file system of a running
 * container in a folder with the container's id. Undefined when the container does not run there, and with any other
 * storage driver.
 */
export async function containerLayer(info: ContainerInspectInfo): Promise<string | undefined> {
  const named = Named.safeParse(info).data?.GraphDriver.Data.UpperDir;
  if (named !== undefined || !info.State.Running) return named;
  return upperFolder(await readFile('/proc/self/mountinfo', 'utf8'), info.Id);
}

/** Upper folder of the overlay that is mounted in a folder with this name; the format is that of proc(5). */
export function upperFolder(mountinfo: string, name: string): string | undefined {
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , , point = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type !== 'overlay' || !point.split('/').includes(name)) continue;
    const upper = options.split(',').find((option) => option.startsWith('upperdir='));
    if (upper !== undefined) return unescaped(upper.slice('upperdir='.length));
  }
  return undefined;
}

/** Spaces and similar characters are escaped there as three octal digits. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
