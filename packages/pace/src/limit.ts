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
 * At most so many at a time; the others wait in the order they came. Where owners are named, those that wait get places in turn, and
 * none takes the last one beside its own: whoever comes next need not wait for an owner with many. What is done for later waits until
 * nothing of now is under way or waits, and does not take more than its own share of the places.
 */
export class Limit {
  readonly #most: number;
  #free: number;
  #freeForLater: number;
  /** Under way, without what is done for later. */
  #now = 0;
  /** Under way, of owners with a name. */
  readonly #held = new Map<string, number>();
  /** By owner; whose turn is next stands first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #waitingForLater: Later[] = [];
  readonly #calm: Calm;
  #disturbedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, mostForLater = most, calm: Calm = { quietMs: 0, mostMs: 0 }) {
    this.#most = most;
    this.#free = most;
    this.#freeForLater = Math.min(most, mostForLater);
    this.#calm = calm;
  }

  /** Somebody is being served who needs no place, but the machine. */
  disturb(): void {
    this.#disturbedAt = performance.now();
  }

  async run<Result>(work: () => Promise<Result>, owner = ''): Promise<Result> {
    await this.#turn((begin) => {
      const waiting = this.#waiting.get(owner) ?? [];
      waiting.push(begin);
      this.#waiting.set(owner, waiting);
    });
    try {
      return await work();
    } finally {
      this.#hold(owner, -1);
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
      const next = this.#next();
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

  #next(): (() => void) | undefined {
    for (const [owner, waiting] of this.#waiting) {
      if (this.#hasItsShare(owner)) continue;
      this.#hold(owner, 1);
      const next = waiting.shift();
      this.#waiting.delete(owner);
      if (waiting.length > 0) this.#waiting.set(owner, waiting);
      return next;
    }
    return undefined;
  }

  #hasItsShare(owner: string): boolean {
    return owner !== '' && this.#most > 1 && (this.#held.get(owner) ?? 0) >= this.#most - 1;
  }

  #hold(owner: string, change: 1 | -1): void {
    const held = (this.#held.get(owner) ?? 0) + change;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
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
