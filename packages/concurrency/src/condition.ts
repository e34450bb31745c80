/** A condition variable: call `changed()` after a state change; `until()` then evaluates its predicate again. */
export class Condition {
  readonly #waiting = new Set<() => void>();

  changed(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves to false when the predicate is still false after `maxMs`. */
  until(predicate: () => boolean, maxMs: number): Promise<boolean> {
    if (predicate()) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const end = (answer: boolean): void => {
      clearTimeout(timer);
      this.#waiting.delete(check);
      resolve(answer);
    };
    const check = (): void => {
      if (predicate()) end(true);
    };
    const timer = setTimeout(() => end(predicate()), maxMs);
    this.#waiting.add(check);
    return promise;
  }
}
