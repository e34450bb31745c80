import type { Refusal } from '../network/network.ts';
import type { OutputKeeper } from './tools.ts';

/** An instance that keeps meeting a limit is notified again after this time. */
const againMs = 60_000;

/** Writes to an instance's output which network limit it met, because a dropped packet does not name one. */
export class RefusalNotes {
  readonly #output: Pick<OutputKeeper, 'note'>;
  readonly #now: () => number;
  /** Time of the last note, by instance and text. */
  readonly #told = new Map<string, number>();

  constructor(output: Pick<OutputKeeper, 'note'>, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  tell(refusals: readonly Refusal[], instanceAt: (address: string) => string | undefined): void {
    const now = this.#now();
    for (const [key, at] of this.#told) if (now - at >= againMs) this.#told.delete(key);
    for (const { address, text } of refusals) {
      const instance = instanceAt(address);
      const key = `${instance} ${text}`;
      if (instance === undefined || this.#told.has(key)) continue;
      this.#told.set(key, now);
      this.#output.note(instance, text);
    }
  }
}
