// Two roots. The cache holds files that can be fetched again, and survives clones. The engine root holds binaries and
// data that an unprivileged account must read, which root's own home (0700) does not allow.
import { chmod, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';

function cacheFolder(): string {
  return join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'berth');
}

const isRoot = process.getuid?.() === 0;

/** Created on first use. Refuses a folder that another user prepared in the shared /var/tmp. */
export async function engineFolder(...parts: string[]): Promise<string> {
  const root = isRoot ? `/var/tmp/berth-${process.getuid?.()}` : cacheFolder();
  await mkdir(root, { recursive: true });
  const { uid } = await stat(root);
  if (uid !== process.getuid?.()) {
    throw new Error(`${root} belongs to user ${uid}. Remove it, then run the command again.`);
  }
  if (isRoot) await chmod(root, 0o755);
  const folder = join(root, ...parts);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Node stores compiled code in this folder: a server role then starts with half of the CPU time. */
export const compileCache = async (): Promise<{ NODE_COMPILE_CACHE: string }> => ({
  NODE_COMPILE_CACHE: await engineFolder('compile-cache'),
});
