/** Wakes one waiting loop. A notification that arrives while the loop is not waiting is kept for its next wait. */
export class Notifier {
  #isNotified = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** True when it was notified, false when the time passed or the signal was aborted first. */
  async wait(maxMs: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#isNotified && !signal?.aborted) await this.#pause(maxMs, signal);
    const wasNotified = this.#isNotified;
    this.#isNotified = false;
    return wasNotified;
  }

  /**
   * Adds and removes the abort listener by hand. A combined signal per wait would pile up on the caller's signal, which
   * lives as long as the process.
   */
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
