/** Listeners to the changes of one process, except its output. */
export class ChangeListeners {
  readonly #listeners = new Set<() => void>();

  /** The result ends the subscription. */
  add(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves at the next change, or after this time. */
  nextWithin(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const remove = this.add(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      remove();
    });
  }
}
