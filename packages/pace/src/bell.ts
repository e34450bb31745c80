/** One loop waits, anyone rings. A ring while nobody waits is kept for the next wait. */
export class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** True when it was rung, false when the time passed or the signal came first. */
  async wait(mostMs: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#isRung && !signal?.aborted) await this.#pause(mostMs, signal);
    const wasRung = this.#isRung;
    this.#isRung = false;
    return wasRung;
  }

  /** By hand, not by a combined signal for every wait: the caller's signal lives for as long as the process. */
  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
      this.#wake = end;
    });
  }
}
