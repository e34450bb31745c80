/** How many wait for each workload, so that one that cannot be reached does not fill the gateway. */
export class WaitingList {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** `most` of one workload at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  /** False, without a wait, when too many wait already. */
  async wait(uid: string, work: () => Promise<void>): Promise<boolean> {
    const count = this.#counts.get(uid) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(uid, count + 1);
    try {
      await work();
      return true;
    } finally {
      const left = (this.#counts.get(uid) ?? 1) - 1;
      if (left > 0) this.#counts.set(uid, left);
      else this.#counts.delete(uid);
    }
  }
}
