export interface Timeouts {
  /** Undefined: as long as bytes move. */
  readonly totalMs: number | undefined;
  /** Without a byte in either direction. */
  readonly silentMs: number;
}

export interface Patience {
  /** A byte has moved. */
  touch(): void;
  stop(): void;
}

/** Calls `onEnd` once, when either limit is reached. */
export const startPatience = (timeouts: Timeouts, onEnd: () => void): Patience => new Clock(timeouts, onEnd);

/** One timer for both limits, and a touch is only noted: there is one for every chunk, and nearly all requests end early. */
class Clock implements Patience {
  readonly #silentMs: number;
  readonly #endAt: number;
  readonly #onEnd: () => void;
  #touchedAt = performance.now();
  #timer: NodeJS.Timeout;

  constructor({ totalMs = Number.POSITIVE_INFINITY, silentMs }: Timeouts, onEnd: () => void) {
    this.#silentMs = silentMs;
    this.#endAt = this.#touchedAt + totalMs;
    this.#onEnd = onEnd;
    this.#timer = setTimeout(look, Math.min(totalMs, silentMs), this);
  }

  touch(): void {
    this.#touchedAt = performance.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  look(): void {
    const leftMs = Math.min(this.#touchedAt + this.#silentMs, this.#endAt) - performance.now();
    if (leftMs > 0) this.#timer = setTimeout(look, leftMs, this);
    else this.#onEnd();
  }
}

const look = (clock: Clock): void => clock.look();
