// Small files of an archive are written side by side: each takes a dozen steps of the file system, which mostly wait.
const atOnce = 8;

export class WritesUnderWay {
  readonly #paths = new Map<string, Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  /** Resolves when there is room for the next one. Throws what an earlier one has thrown. */
  async add(path: string, write: () => Promise<void>): Promise<void> {
    // The same name twice: the later one counts.
    await this.#paths.get(path);
    while (this.#paths.size >= atOnce) await Promise.race(this.#paths.values());
    this.#check();
    const writing = write()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#paths.delete(path));
    this.#paths.set(path, writing);
  }

  async end(): Promise<void> {
    await Promise.all(this.#paths.values());
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
