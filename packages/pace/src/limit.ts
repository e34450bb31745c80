/** What is done for later waits until nobody has disturbed it for so long, though never longer than the most. */
export interface Calm {
  readonly quietMs: number;
  readonly mostMs: number;
}

interface Later {
  readonly begin: () => void;
  readonly since: number;
}

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
  readonly #waitingForLater: Later[] = [];
  readonly #calm: Calm;
  #disturbedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, mostForLater = most, calm: Calm = { quietMs: 0, mostMs: 0 }) {
    this.#free = most;
    this.#freeForLater = Math.min(most, mostForLater);
    this.#calm = calm;
  }

  /** Somebody is being served who needs no place, but the machine. */
  disturb(): void {
    this.#disturbedAt = performance.now();
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#turn((begin) => this.#waiting.push(begin));
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
    await this.#turn((begin) => this.#waitingForLater.push({ begin, since: performance.now() }));
    try {
      return await work();
    } finally {
      this.#freeForLater += 1;
      this.#free += 1;
      this.#admit();
    }
  }

  #turn(stand: (begin: () => void) => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    stand(resolve);
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
      const [next] = this.#waitingForLater;
      if (next === undefined || !this.#isCalm(next)) break;
      this.#waitingForLater.shift();
      this.#free -= 1;
      this.#freeForLater -= 1;
      next.begin();
    }
  }

  /** If not, it is looked at again when it may be. */
  #isCalm({ since }: Later): boolean {
    const { quietMs, mostMs } = this.#calm;
    const waitMs = Math.min(this.#disturbedAt + quietMs, since + mostMs) - performance.now();
    if (waitMs <= 0) return true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#admit(), Math.ceil(waitMs)).unref();
    return false;
  }
}
