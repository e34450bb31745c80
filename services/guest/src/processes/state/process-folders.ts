import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessState } from './process-state.ts';

const stateFileName = 'state.json';

/** One folder for each process: its state, and a folder with logs for each attempt. */
export class ProcessFolders {
  readonly #root: string;

  constructor(stateFolder: string) {
    this.#root = join(stateFolder, 'processes');
    mkdirSync(this.#root, { recursive: true, mode: 0o700 });
  }

  path(id: string): string {
    return join(this.#root, id);
  }

  /**
   * Called before an attempt: makes the folder for its logs and saves the state beside it. Asynchronous, so that no
   * other call is blocked: a disk that two hundred processes write to is slow. Returns the path, or the error number.
   */
  async begin(state: ProcessState, part: string): Promise<string | { errno: number }> {
    const text = JSON.stringify(state);
    const folder = join(this.#root, state.id, part);
    const path = join(this.#root, state.id, stateFileName);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(`${path}.${part}`, text, { mode: 0o600 });
      await rename(`${path}.${part}`, path);
      return folder;
    } catch (error) {
      return { errno: error instanceof Error && 'errno' in error ? Math.abs(Number(error.errno)) : 0 };
    }
  }

  removeLogFolder(id: string, part: string): void {
    rmSync(join(this.#root, id, part), { recursive: true, force: true });
  }

  /** Written whole or not at all: the guest may die in the middle. */
  save(state: ProcessState): void {
    const path = join(this.#root, state.id, stateFileName);
    writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  remove(id: string): void {
    rmSync(join(this.#root, id), { recursive: true, force: true });
  }

  /** Texts of every state that an earlier guest left. */
  *saved(): Generator<{ id: string; text: string }> {
    for (const id of readdirSync(this.#root)) {
      try {
        yield { id, text: readFileSync(join(this.#root, id, stateFileName), 'utf8') };
      } catch {
        // The guest died between making the folder and writing the state, so nothing was started.
        this.remove(id);
      }
    }
  }
}
