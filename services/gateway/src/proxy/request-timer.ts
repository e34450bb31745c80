import type { Timeouts } from '../workloads/workload-kind.ts';

export interface RequestTimer {
  /** Notes that a byte has moved. */
  touch(): void;
  stop(): void;
}

/** Calls `onEnd` once, when either limit is reached. */
export const startRequestTimer = (timeouts: Timeouts, onEnd: () => void): RequestTimer => new Timer(timeouts, onEnd);

/**
 * One timer serves both limits, and `touch` only stores a time: it runs for every chunk, and nearly all requests end
 * early.
 */
class Timer implements RequestTimer {
  readonly #silentMs: number;
  readonly #endAt: number;
  readonly #onEnd: () => void;
  #touchedAt = performance.now();
  #timer: NodeJS.Timeout;

  constructor({ totalMs = Number.POSITIVE_INFINITY, silentMs }: Timeouts, onEnd: () => void) {
    this.#silentMs = silentMs;
    this.#endAt = this.#touchedAt + totalMs;
    this.#onEnd = onEnd;
    this.#timer = setTimeout(check, Math.min(totalMs, silentMs), this);
  }

  touch(): void {
    this.#touchedAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  check(): void {
    const leftMs = Math.min(this.#touchedAt + this.#silentMs, this.#endAt) - performance.now();
    if (leftMs > 0) this.#timer = setTimeout(check, leftMs, this);
    else this.#onEnd();
  }
}

const check = (timer: Timer): void => timer.check();
