/** One loop waits, anyone rings. A ring while nobody waits is kept for the next wait. */
export class Bell {
  #isRung = false;
  #isClosed = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Every wait ends, and further ones are none. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async wait(mostMs: number): Promise<void> {
    if (!this.#isRung) await this.#pause(mostMs, () => this.#isRung);
    this.#isRung = false;
  }

  /** Deaf to rings; only closing ends it early. */
  rest(ms: number): Promise<void> {
    return this.#pause(ms, () => false);
  }

  #pause(ms: number, isOver: () => boolean): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#wake = () => {
        if (this.#isClosed || isOver()) end();
      };
    });
  }
}
