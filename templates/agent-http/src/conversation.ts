export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

const mostThreads = 1000;
const mostMessages = 40;

/** Conversations by thread, in memory. The oldest thread makes room for a new one. */
export class Conversations {
  readonly #threads = new Map<string, readonly Message[]>();

  read(thread: string | undefined): readonly Message[] {
    return thread === undefined ? [] : (this.#threads.get(thread) ?? []);
  }

  write(thread: string | undefined, messages: readonly Message[]): void {
    if (thread === undefined) return;
    this.#threads.delete(thread);
    this.#threads.set(thread, messages.slice(-mostMessages));
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > mostThreads && oldest !== undefined) this.#threads.delete(oldest);
  }
}
