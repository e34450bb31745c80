/** How many at a time, at the most, over the last while: the present part of it and three before. */
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

  /** A part of the while is over: what is under way now is the least of the next one. */
  turn(): void {
    this.#peaks = [this.#current, ...this.#peaks.slice(0, -1)];
  }
}

/** Of a whole window. */
export const windowParts = 4;
