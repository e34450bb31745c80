/** Bytes of request bodies that are in memory as a whole, of each workspace and in all. */
export class OpenBodies {
  readonly #mostOfOne: number;
  readonly #mostInAll: number;
  readonly #bytes = new Map<string, number>();
  #sum = 0;

  constructor(mostOfOne: number, mostInAll: number) {
    this.#mostOfOne = mostOfOne;
    this.#mostInAll = mostInAll;
  }

  /** Undefined when there is no room. The result gives the room back, once. */
  reserve(workspaceId: string, bytes: number): (() => void) | undefined {
    const own = this.#bytes.get(workspaceId) ?? 0;
    if (own + bytes > this.#mostOfOne || this.#sum + bytes > this.#mostInAll) return undefined;
    this.#bytes.set(workspaceId, own + bytes);
    this.#sum += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#bytes.get(workspaceId) ?? bytes) - bytes;
      if (left > 0) this.#bytes.set(workspaceId, left);
      else this.#bytes.delete(workspaceId);
      this.#sum -= bytes;
    };
  }
}
