/** A map of at most `maxEntries` entries that evicts the least recently used one. */
export class BoundedMap<Value> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Value>();
  #youngest: string | undefined;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    // A Map keeps insertion order: inserting the entry again makes it the youngest.
    if (value !== undefined && key !== this.#youngest) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#youngest = key;
    if (this.#entries.size <= this.#maxEntries) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  entries(): [string, Value][] {
    return [...this.#entries];
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
