/** Background work starts `quietMs` after the last `disturb()`, or once it has waited `mostMs`. */
export interface Calm {
  readonly quietMs: number;
  readonly mostMs: number;
}

interface Later {
  readonly begin: () => void;
  readonly since: number;
}

/**
 * A semaphore. At most `most` pieces of work run at a time; the others wait in the order of their calls. Where owners
 * are named, waiting owners get places in turn, and a named owner never holds the last place: an owner with much work
 * cannot keep the next owner waiting. Background work (`runForLater`) starts only while no foreground work runs or
 * waits, and takes at most `mostForLater` places.
 */
export class Limit {
  readonly #most: number;
  #free: number;
  #freeForLater: number;
  /** Foreground work under way. */
  #now = 0;
  /** Places held by each owner. */
  readonly #held = new Map<string, number>();
  /** Waiting work by owner; the first owner in the map is next. */
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

  /** Reports activity that takes no place here but needs the machine, and so delays background work. */
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

  /** Runs background work: no caller needs its result yet. */
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

  /** Counts a place as taken here rather than when the work begins, so that no other work slips in between. */
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

  /** When it is not calm yet, sets a timer that admits waiting work at the moment it may start. */
  #isCalm({ since }: Later): boolean {
    const { quietMs, mostMs } = this.#calm;
    const waitMs = Math.min(this.#disturbedAt + quietMs, since + mostMs) - performance.now();
    if (waitMs <= 0) return true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#admit(), Math.ceil(waitMs)).unref();
    return false;
  }
}
