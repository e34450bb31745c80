// Who holds a lease of which instance. One that goes waits for them; while the runner waits, it lends to nobody new.
import { pause, within } from '@berth/pace';
import type { Traffic } from '../converge/tools.ts';

/** How many leases somebody holds of an instance, whenever that changes. */
export type OnLeases = (instance: string, count: number) => void;

export interface Use {
  /** Asks whoever holds it to let go when it can. */
  leave(): void;
  /** Ends it now. */
  cut(): void;
}

/** How long an instance that goes waits for those who speak to it. */
export interface Patience {
  readonly drainSeconds: number;
  /** One that nobody needs any more, but that nobody wants to be rid of either. */
  readonly leaveSeconds: number;
}

interface Entry {
  readonly uses: Set<Use>;
  /** Until the last use has ended. */
  readonly emptied: PromiseWithResolvers<void>;
  /** Set by the first drain: a removal that is tried again does not wait all over again, only less. */
  giveUpAt: number | undefined;
}

export class TrafficBook implements Traffic {
  readonly #patience: Patience;
  readonly #onLeases: OnLeases;
  readonly #entries = new Map<string, Entry>();
  #leases = 0;

  constructor(patience: Patience, onLeases: OnLeases = () => {}) {
    this.#patience = patience;
    this.#onLeases = onLeases;
  }

  get leases(): number {
    return this.#leases;
  }

  /** Returns what ends the use; said twice, it ends once. */
  begin(instance: string, use: Use): () => void {
    const entry = this.#entries.get(instance) ?? newEntry();
    this.#entries.set(instance, entry);
    entry.uses.add(use);
    this.#leases += 1;
    this.#onLeases(instance, entry.uses.size);
    return () => {
      if (!entry.uses.delete(use)) return;
      this.#leases -= 1;
      if (entry.uses.size === 0) {
        this.#entries.delete(instance);
        entry.emptied.resolve();
      }
      this.#onLeases(instance, entry.uses.size);
    };
  }

  /** Asks whoever holds a lease to give it back when it has nothing under way. */
  recall(instance: string): void {
    for (const { leave } of [...(this.#entries.get(instance)?.uses ?? [])]) leave();
  }

  async drain(instance: string, signal: AbortSignal, isLeaving: boolean): Promise<void> {
    const entry = this.#entries.get(instance);
    if (entry === undefined) return;
    this.recall(instance);
    const { drainSeconds, leaveSeconds } = this.#patience;
    const patienceMs = (isLeaving ? Math.max(leaveSeconds, drainSeconds) : drainSeconds) * 1_000;
    entry.giveUpAt = Math.min(entry.giveUpAt ?? Number.POSITIVE_INFINITY, performance.now() + patienceMs);
    const emptied = new AbortController();
    const leftMs = Math.max(0, entry.giveUpAt - performance.now());
    const patience = pause(leftMs, AbortSignal.any([signal, emptied.signal]));
    await Promise.race([entry.emptied.promise, patience]);
    emptied.abort();
  }

  cut(instance: string): void {
    for (const { cut } of [...(this.#entries.get(instance)?.uses ?? [])]) cut();
  }

  /** When the runner itself stops: all that is open, of every instance. */
  async close(patienceMs: number): Promise<void> {
    const entries = [...this.#entries];
    for (const [instance] of entries) this.recall(instance);
    await within(patienceMs, Promise.all(entries.map(([, { emptied }]) => emptied.promise)));
    for (const instance of [...this.#entries.keys()]) this.cut(instance);
  }
}

const newEntry = (): Entry => ({ uses: new Set(), emptied: Promise.withResolvers(), giveUpAt: undefined });
