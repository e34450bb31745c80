// A guest that dies during a transfer leaves a file in a user's folder under a name that is not known elsewhere. So a
// transfer is noted in the state folder, as a link to that file, and the next guest deletes every file that is still
// noted.
import { mkdir, readdir, readlink, symlink, unlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isTemporaryName } from './temporary-name.ts';

const privateFolderMode = 0o700;

export class UnfinishedTransfers {
  readonly #folder: string;
  readonly #swept: Promise<void>;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'unfinished');
    this.#swept = this.#sweep();
  }

  /**
   * Called before the file is made. Call the result when the file has its final name or is gone. Never fails a
   * transfer.
   */
  async note(path: string): Promise<() => Promise<void>> {
    await this.#swept;
    const note = join(this.#folder, posix.basename(path));
    await symlink(path, note).catch(() => undefined);
    return () => unlink(note).catch(() => undefined);
  }

  async #sweep(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: privateFolderMode }).catch(() => undefined);
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const note = join(this.#folder, name);
      const path = await readlink(note).catch(() => undefined);
      // A note that does not name a temporary file was not written by a guest, so its target is kept.
      if (path !== undefined && isTemporaryName(posix.basename(path))) await unlink(path).catch(() => undefined);
      await unlink(note).catch(() => undefined);
    }
  }
}

const known = new Map<string, UnfinishedTransfers>();

/** One per state folder, which belongs to one guest: the first call deletes the files that an earlier guest left. */
export function unfinishedTransfersIn(stateFolder: string): UnfinishedTransfers {
  const existing = known.get(stateFolder);
  if (existing !== undefined) return existing;
  const unfinished = new UnfinishedTransfers(stateFolder);
  known.set(stateFolder, unfinished);
  return unfinished;
}
