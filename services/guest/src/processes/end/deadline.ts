// setTimeout holds at most 24.8 days, and a longer timer fires at once.
const maxTimerMs = 2 ** 31 - 1;

/** Calls back at a time of the wall clock, at once if it has passed. The result cancels it. */
export function callAt(timeMs: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const leftMs = timeMs - Date.now();
    timer = leftMs > maxTimerMs ? setTimeout(arm, maxTimerMs) : setTimeout(run, Math.max(0, leftMs));
  };
  arm();
  return () => clearTimeout(timer);
}

/** A time at which something happens unless it is cancelled. Setting it again replaces the earlier time. */
export class Deadline {
  #cancel = () => {};

  set(timeMs: number, run: () => void): void {
    this.#cancel();
    this.#cancel = callAt(timeMs, run);
  }

  cancel(): void {
    this.#cancel();
  }
}
