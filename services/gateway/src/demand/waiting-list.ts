/**
 * Counts waiting requests per workload or workspace and limits them, so that an unreachable workload or a crowded
 * trigger does not fill the gateway.
 */
export class WaitingList {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  /** `max` is the limit per uid. */
  constructor(max: number) {
    this.#max = max;
  }

  isFull(uid: string): boolean {
    return (this.#counts.get(uid) ?? 0) >= this.#max;
  }

  /** Counts the request until `work` settles. */
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
