/** Highest number of concurrent requests over a sliding window: the current part and the three before it. */
export class PeakWindow {
  #current = 0;
  #peaks: readonly number[] = [0, 0, 0, 0];

  get peak(): number {
    return Math.max(...this.#peaks);
  }

  enter(): void {
    this.#current += 1;
    const [present = 0, ...before] = this.#peaks;
    if (this.#current > present) this.#peaks = [this.#current, ...before];
  }

  leave(): void {
    this.#current -= 1;
  }

  /** Begins the next part of the window. Requests still under way are its initial peak. */
  turn(): void {
    this.#peaks = [this.#current, ...this.#peaks.slice(0, -1)];
  }
}

/** Parts of a whole window. */
export const windowParts = 4;
