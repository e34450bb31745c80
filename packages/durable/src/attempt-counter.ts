/** Failed calls whose attempts are counted. The oldest are forgotten: the number is for people, not for logic. */
const remembered = 10_000;

export class AttemptCounter {
  readonly #attempts = new Map<string, number>();

  next(call: string): number {
    const attempt = (this.#attempts.get(call) ?? 0) + 1;
    this.#attempts.delete(call);
    this.#attempts.set(call, attempt);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > remembered && oldest !== undefined) this.#attempts.delete(oldest);
    return attempt;
  }

  done(call: string): void {
    this.#attempts.delete(call);
  }
}
