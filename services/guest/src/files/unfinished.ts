// The guest may die in the middle of a transfer, and what it was writing lies in somebody's folder under a name nobody
// knows. So a transfer is noted in the state folder, as a link to that file, and the next guest deletes what is still noted.
import { mkdir, readdir, readlink, symlink, unlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isTemporaryName } from './temporary-name.ts';

const PRIVATE_FOLDER = 0o700;

export class Unfinished {
  readonly #folder: string;
  readonly #swept: Promise<void>;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'unfinished');
    this.#swept = this.#sweep();
  }

  /** Before the file is made. The result is called when it has its name or is gone. Never a reason to fail a transfer. */
  async note(path: string): Promise<() => Promise<void>> {
    await this.#swept;
    const note = join(this.#folder, posix.basename(path));
    await symlink(path, note).catch(() => undefined);
    return () => unlink(note).catch(() => undefined);
  }

  async #sweep(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER }).catch(() => undefined);
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const note = join(this.#folder, name);
      const path = await readlink(note).catch(() => undefined);
      // A note that does not name such a file is not ours, and nothing is deleted for it.
      if (path !== undefined && isTemporaryName(posix.basename(path))) await unlink(path).catch(() => undefined);
      await unlink(note).catch(() => undefined);
    }
  }
}

const known = new Map<string, Unfinished>();

/** One for a state folder, which belongs to one guest: its first call deletes what an earlier guest left. */
export function unfinishedIn(stateFolder: string): Unfinished {
  const existing = known.get(stateFolder);
  if (existing !== undefined) return existing;
  const unfinished = new Unfinished(stateFolder);
  known.set(stateFolder, unfinished);
  return unfinished;
}
