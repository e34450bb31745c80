/** A condition variable: call `changed()` after a state change; `until()` then evaluates its predicate again. */
export class Condition {
  readonly #waiting = new Set<() => void>();

  changed(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves to false when the predicate is still false after `mostMs`. */
  until(isSo: () => boolean, mostMs: number): Promise<boolean> {
    if (isSo()) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const end = (answer: boolean): void => {
      clearTimeout(timer);
      this.#waiting.delete(look);
      resolve(answer);
    };
    const look = (): void => {
      if (isSo()) end(true);
    };
    const timer = setTimeout(() => end(isSo()), mostMs);
    this.#waiting.add(look);
    return promise;
  }
}
