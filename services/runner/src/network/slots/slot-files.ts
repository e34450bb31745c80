// Files of a slot that the engine mounts into every container in it: resolv.conf, hosts and hostname.
import { readFile, writeFile } from 'node:fs/promises';

export interface SlotFile {
  readonly path: string;
  readonly text: string;
}

export const readSlotFiles = (paths: readonly string[]): Promise<SlotFile[]> =>
  Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));

export async function restoreSlotFiles(files: readonly SlotFile[]): Promise<void> {
  await Promise.all(files.map(({ path, text }) => writeFile(path, text)));
}
