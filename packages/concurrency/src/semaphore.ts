import { FairQueue } from './fair-queue.ts';

/**
 * At most `max` pieces of work run at a time; the others wait in the order of their calls. Where owners are named,
 * waiting owners get places in turn (`FairQueue`).
 */
export class Semaphore {
  readonly #waiting: FairQueue;
  #free: number;
  #running = 0;

  constructor(max: number) {
    this.#waiting = new FairQueue(max);
    this.#free = max;
  }

  async run<Result>(work: () => Promise<Result>, owner = ''): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(owner, resolve);
    this.admit();
    await promise;
    try {
      return await work();
    } finally {
      this.#waiting.release(owner);
      this.#running -= 1;
      this.#free += 1;
      this.admit();
    }
  }

  /** Counts a place as taken here rather than when the work begins, so that no other work slips in between. */
  protected admit(): void {
    while (this.#free > 0) {
      const begin = this.#waiting.takeNext();
      if (begin === undefined) break;
      this.#free -= 1;
      this.#running += 1;
      begin();
    }
  }

  /** True when a place is free and no work that came through `run` waits. */
  protected get hasSpare(): boolean {
    return this.#free > 0 && this.#waiting.isEmpty;
  }

  /** True when no work that came through `run` runs or waits, and a place is free. */
  protected get isIdle(): boolean {
    return this.#free > 0 && this.#running === 0;
  }

  protected takePlace(): void {
    this.#free -= 1;
  }

  protected releasePlace(): void {
    this.#free += 1;
  }
}
