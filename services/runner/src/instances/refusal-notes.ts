import type { OutputShipper } from '../logs/output-shipper.ts';
import type { Refusal } from '../network/network.ts';

/** An instance that keeps meeting a limit is notified again after this time. */
const againMs = 60_000;

/** Writes to an instance's output which network limit it met, because a dropped packet does not name one. */
export class RefusalNotes {
  readonly #output: Pick<OutputShipper, 'note'>;
  readonly #now: () => number;
  /** Time of the last note, by instance and text. */
  readonly #notedAt = new Map<string, number>();

  constructor(output: Pick<OutputShipper, 'note'>, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  note(refusals: readonly Refusal[], instanceAt: (address: string) => string | undefined): void {
    const now = this.#now();
    for (const [key, at] of this.#notedAt) if (now - at >= againMs) this.#notedAt.delete(key);
    for (const { address, text } of refusals) {
      const instance = instanceAt(address);
      const key = `${instance} ${text}`;
      if (instance === undefined || this.#notedAt.has(key)) continue;
      this.#notedAt.set(key, now);
      this.#output.note(instance, text);
    }
  }
}
