import type { Refusal } from '../network/network.ts';
import type { OutputKeeper } from './tools.ts';

/** Who goes on meeting a limit is told again after so long. */
const againMs = 60_000;

/** Tells instances in their own output which limit on what they send they have met: a dropped packet names none. */
export class RefusalNotes {
  readonly #output: Pick<OutputKeeper, 'note'>;
  readonly #now: () => number;
  /** When an instance was told what. */
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
