/**
 * Counts open requests, streams and sockets, and the time since the last one ended. The runner asks for this before it
 * lets a sandbox sleep.
 */
export class Activity {
  #open = 0;
  #lastAt = performance.now();

  /** Returns the function to call once the request, stream or socket has ended. */
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

  /** The idle time is a duration, not a timestamp: the clock of the sandbox has no meaning outside it. */
  now(): { open: number; idleMs: number } {
    return { open: this.#open, idleMs: this.#open > 0 ? 0 : Math.round(performance.now() - this.#lastAt) };
  }
}
