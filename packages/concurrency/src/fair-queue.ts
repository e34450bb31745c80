/**
 * Waiting work by owner. Waiting owners get places in turn, and a named owner never holds the last place: an owner with
 * much work cannot keep the next owner waiting. Work without an owner is not bounded by a share.
 */
export class FairQueue {
  readonly #maxPlaces: number;
  /** Places held by each owner. */
  readonly #held = new Map<string, number>();
  /** The first owner in the map is next. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(maxPlaces: number) {
    this.#maxPlaces = maxPlaces;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(owner: string, begin: () => void): void {
    const waiting = this.#waiting.get(owner) ?? [];
    waiting.push(begin);
    this.#waiting.set(owner, waiting);
  }

  /** Gives a place to the next owner that may have one, and returns the work that begins there. */
  takeNext(): (() => void) | undefined {
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

  release(owner: string): void {
    this.#hold(owner, -1);
  }

  #hasItsShare(owner: string): boolean {
    return owner !== '' && this.#maxPlaces > 1 && (this.#held.get(owner) ?? 0) >= this.#maxPlaces - 1;
  }

  #hold(owner: string, change: 1 | -1): void {
    const held = (this.#held.get(owner) ?? 0) + change;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
