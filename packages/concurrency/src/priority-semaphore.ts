import { FairQueue } from './fair-queue.ts';
import { Semaphore } from './semaphore.ts';

/** Background work starts `quietMs` after the last `noteActivity()`, or once it has waited `maxMs`. */
export interface QuietPeriod {
  readonly quietMs: number;
  readonly maxMs: number;
}

interface BackgroundWork {
  readonly begin: () => void;
  readonly since: number;
}

/**
 * A semaphore with three classes of work:
 * - foreground (`run`);
 * - batch (`runBatch`), which starts only while no foreground work waits, and leaves one place to foreground work;
 * - background (`runInBackground`), which starts only while no foreground work runs or waits and no batch work waits,
 *   and takes at most `maxInBackground` places.
 */
export class PrioritySemaphore extends Semaphore {
  #freeForBatch: number;
  readonly #waitingBatch: FairQueue;
  #freeInBackground: number;
  readonly #waitingInBackground: BackgroundWork[] = [];
  readonly #quietPeriod: QuietPeriod;
  #lastActivityAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(max: number, maxInBackground = max, quietPeriod: QuietPeriod = { quietMs: 0, maxMs: 0 }) {
    super(max);
    this.#freeForBatch = Math.max(1, max - 1);
    this.#waitingBatch = new FairQueue(max);
    this.#freeInBackground = Math.min(max, maxInBackground);
    this.#quietPeriod = quietPeriod;
  }

  /** Reports activity that takes no place here but needs the machine, and so delays background work. */
  noteActivity(): void {
    this.#lastActivityAt = performance.now();
  }

  /** Runs work that gives way to callers. Waiting owners get places in turn, as in `run`. */
  async runBatch<Result>(work: () => Promise<Result>, owner = ''): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitingBatch.add(owner, resolve);
    this.admit();
    await promise;
    try {
      return await work();
    } finally {
      this.#waitingBatch.release(owner);
      this.#freeForBatch += 1;
      this.releasePlace();
      this.admit();
    }
  }

  /** Runs work whose result no caller needs yet. */
  async runInBackground<Result>(work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitingInBackground.push({ begin: resolve, since: performance.now() });
    this.admit();
    await promise;
    try {
      return await work();
    } finally {
      this.#freeInBackground += 1;
      this.releasePlace();
      this.admit();
    }
  }

  protected override admit(): void {
    super.admit();
    this.#admitBatch();
    while (this.isIdle && this.#waitingBatch.isEmpty && this.#freeInBackground > 0) {
      const [next] = this.#waitingInBackground;
      if (next === undefined || !this.#isQuiet(next)) break;
      this.#waitingInBackground.shift();
      this.#freeInBackground -= 1;
      this.takePlace();
      next.begin();
    }
  }

  #admitBatch(): void {
    while (this.hasSpare && this.#freeForBatch > 0) {
      const begin = this.#waitingBatch.takeNext();
      if (begin === undefined) break;
      this.#freeForBatch -= 1;
      this.takePlace();
      begin();
    }
  }

  /** When the quiet period has not passed yet, sets a timer that admits waiting work at the moment it may start. */
  #isQuiet({ since }: BackgroundWork): boolean {
    const { quietMs, maxMs } = this.#quietPeriod;
    const waitMs = Math.min(this.#lastActivityAt + quietMs, since + maxMs) - performance.now();
    if (waitMs <= 0) return true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.admit(), Math.ceil(waitMs)).unref();
    return false;
  }
}
