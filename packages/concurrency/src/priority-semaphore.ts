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
 * A semaphore with background work, which starts only while no foreground work (`run`) runs or waits and takes at most
 * `maxInBackground` places.
 */
export class PrioritySemaphore extends Semaphore {
  #freeInBackground: number;
  readonly #waitingInBackground: BackgroundWork[] = [];
  readonly #quietPeriod: QuietPeriod;
  #lastActivityAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(max: number, maxInBackground = max, quietPeriod: QuietPeriod = { quietMs: 0, maxMs: 0 }) {
    super(max);
    this.#freeInBackground = Math.min(max, maxInBackground);
    this.#quietPeriod = quietPeriod;
  }

  /** Reports activity that takes no place here but needs the machine, and so delays background work. */
  noteActivity(): void {
    this.#lastActivityAt = performance.now();
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
    while (this.isIdle && this.#freeInBackground > 0) {
      const [next] = this.#waitingInBackground;
      if (next === undefined || !this.#isQuiet(next)) break;
      this.#waitingInBackground.shift();
      this.#freeInBackground -= 1;
      this.takePlace();
      next.begin();
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
