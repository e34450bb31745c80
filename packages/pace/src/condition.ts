/** Something that comes to be so. Whoever changes anything about it says so, and whoever waits looks again. */
export class Condition {
  readonly #waiting = new Set<() => void>();

  changed(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** False when it was not so in time. */
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
