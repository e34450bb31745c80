/** How many wait for each workload, for whatever it is, so that one that cannot be reached does not fill the gateway. */
export class WaitingList {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** `most` of one workload at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  isFull(uid: string): boolean {
    return (this.#counts.get(uid) ?? 0) >= this.#most;
  }

  /** Counts for as long as the work takes. */
  async wait<T>(uid: string, work: () => Promise<T>): Promise<T> {
    this.#counts.set(uid, (this.#counts.get(uid) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#counts.get(uid) ?? 1) - 1;
      if (left > 0) this.#counts.set(uid, left);
      else this.#counts.delete(uid);
    }
  }
}
