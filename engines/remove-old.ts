import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const keptMs = 7 * 24 * 3_600_000;

/** Removes what was not used for a week. A test may run one of another clone. */
export async function removeOld(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > keptMs) await rm(path, { recursive: true, force: true });
  }
}
