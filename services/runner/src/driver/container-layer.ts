// Where on this machine a container's own layer lies: the folder that takes what it writes to its root file system.
import { readFile } from 'node:fs/promises';
import type { ContainerInspectInfo } from 'dockerode';
import { z } from 'zod';

/** The image store of the engine itself, with the storage driver overlay2, names the folder. */
const Named = z.object({ GraphDriver: z.object({ Data: z.object({ UpperDir: z.string() }) }) });

/**
 * With containerd's image store the engine names none, but mounts the root file system of a container that runs in a folder with the
 * container's id. Undefined for one that does not run there, and with any other storage driver.
 */
export async function containerLayer(info: ContainerInspectInfo): Promise<string | undefined> {
  const named = Named.safeParse(info).data?.GraphDriver.Data.UpperDir;
  if (named !== undefined || !info.State.Running) return named;
  return upperFolder(await readFile('/proc/self/mountinfo', 'utf8'), info.Id);
}

/** Of the overlay that is mounted in a folder with this name, in the words of proc(5). */
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

/** Blanks and the like stand there as three octal digits. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
