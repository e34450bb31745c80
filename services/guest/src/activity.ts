/** What the runner asks before it lets a sandbox sleep: is a request, a stream or a socket open, and since when not. */
export class Activity {
  #open = 0;
  #lastAt = performance.now();

  /** Call the result once, when it has ended. */
  begin(): () => void {
    this.#open += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#open -= 1;
      this.#lastAt = performance.now();
    };
  }

  /** A duration, not a time: the sandbox's clock is nobody else's business. */
  now(): { open: number; idleMs: number } {
    return { open: this.#open, idleMs: this.#open > 0 ? 0 : Math.round(performance.now() - this.#lastAt) };
  }
}
