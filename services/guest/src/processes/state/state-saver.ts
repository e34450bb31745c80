import type { GuestLog } from '../../log.ts';
import type { ProcessFolders } from './process-folders.ts';
import type { ProcessState } from './process-state.ts';

/** Saves the state of one process and counts how often. */
export class StateSaver {
  readonly #state: ProcessState;
  readonly #folders: ProcessFolders;
  readonly #log: GuestLog;
  #count = 0;

  constructor(state: ProcessState, folders: ProcessFolders, log: GuestLog) {
    this.#state = state;
    this.#folders = folders;
    this.#log = log;
  }

  /** Grows with each save: a copy of the state made at an earlier count is outdated. */
  get count(): number {
    return this.#count;
  }

  /** On a full disk a process can still be stopped; only a guest that starts afterwards would not know of it. */
  save(): void {
    this.#count += 1;
    try {
      this.#folders.save(this.#state);
    } catch (error) {
      this.#log.line('guest', { level: 'error', event: 'state not saved', error: String(error) });
    }
  }
}
