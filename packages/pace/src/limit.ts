/**
 * At most so many at a time; the others wait in the order they came. What is done for later waits until nothing of now is under
 * way or waits, and does not take more than its own share of the places.
 */
export class Limit {
  #free: number;
  #freeForLater: number;
  /** Under way, without what is done for later. */
  #now = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #waitingForLater: (() => void)[] = [];

  constructor(most: number, mostForLater = most) {
    this.#free = most;
    this.#freeForLater = Math.min(most, mostForLater);
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#turn(this.#waiting);
    try {
      return await work();
    } finally {
      this.#now -= 1;
      this.#free += 1;
      this.#admit();
    }
  }

  /** For what nobody waits for yet. */
  async runForLater<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#turn(this.#waitingForLater);
    try {
      return await work();
    } finally {
      this.#freeForLater += 1;
      this.#free += 1;
      this.#admit();
    }
  }

  #turn(line: (() => void)[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    line.push(resolve);
    this.#admit();
    return promise;
  }

  /** A place is counted as taken here, not where the work begins, so that nobody slips in between. */
  #admit(): void {
    while (this.#free > 0) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#free -= 1;
      this.#now += 1;
      next();
    }
    while (this.#free > 0 && this.#freeForLater > 0 && this.#now === 0) {
      const next = this.#waitingForLater.shift();
      if (next === undefined) break;
      this.#free -= 1;
      this.#freeForLater -= 1;
      next();
    }
  }
}
