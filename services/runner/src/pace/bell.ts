import { pause } from './pause.ts';

/** One loop waits, anyone rings. A ring while nobody waits is kept for the next wait. */
export class Bell {
  #isRung = false;
  #wake = new AbortController();

  ring(): void {
    this.#isRung = true;
    this.#wake.abort();
  }

  /** True when it was rung, false when the time passed or the signal came first. */
  async wait(mostMs: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#isRung) {
      this.#wake = new AbortController();
      await pause(mostMs, signal === undefined ? this.#wake.signal : AbortSignal.any([this.#wake.signal, signal]));
    }
    const wasRung = this.#isRung;
    this.#isRung = false;
    return wasRung;
  }
}
