/** Callers that wait for the same answer, each up to a timeout. */
export class Waiters<Answer> {
  readonly #waiting = new Set<(answer: Answer) => void>();
  readonly #timeoutMs: number;
  readonly #onChange: () => void;

  constructor(timeoutMs: number, onChange: () => void = () => {}) {
    this.#timeoutMs = timeoutMs;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#waiting.size;
  }

  wait(tooLate: Answer): Promise<Answer> {
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        clearTimeout(timer);
        if (!this.#waiting.delete(end)) return;
        resolve(answer);
        this.#onChange();
      };
      const timer = setTimeout(() => end(tooLate), this.#timeoutMs).unref();
      this.#waiting.add(end);
      this.#onChange();
    });
  }

  answer(answer: Answer): void {
    for (const end of [...this.#waiting]) end(answer);
  }
}
