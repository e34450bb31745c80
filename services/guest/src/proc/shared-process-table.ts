// One table of processes for all callers that wait at the same moment: 200 kills at once would read /proc 600 times, for
// seconds.
import { ProcessTable } from './process-members.ts';

type Use = (table: ProcessTable) => void;

/** After a reading there is a pause of this many times its duration, so that readings take a small share of the time. */
const pauseShare = 4;
const maxPauseMs = 500;

export class SharedProcessTable {
  readonly #delayMs: number;
  #due: Use[] = [];
  #later: Use[] = [];
  #isArmed = false;
  #pauseEndsAt = 0;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** Calls back with a table that is read then, after the delay at the earliest. */
  use(use: Use): void {
    (this.#isArmed ? this.#later : this.#due).push(use);
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setTimeout(() => this.#read(), Math.max(this.#delayMs, this.#pauseEndsAt - performance.now()));
  }

  #read(): void {
    const due = this.#due;
    this.#due = this.#later;
    this.#later = [];
    const startedAt = performance.now();
    try {
      const table = new ProcessTable();
      for (const use of due) use(table);
    } finally {
      const endedAt = performance.now();
      this.#pauseEndsAt = endedAt + Math.min(maxPauseMs, pauseShare * (endedAt - startedAt));
      this.#isArmed = false;
      if (this.#due.length > 0) this.#arm();
    }
  }
}
