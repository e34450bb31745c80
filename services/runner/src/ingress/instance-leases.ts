// Tracks the leases that are held on each instance. An instance that is removed waits for its leases to end;
// meanwhile the runner grants no new ones.
import { pause, settlesWithin } from '@berth/concurrency';

/** Called with the number of leases held on an instance whenever it changes. */
export type OnLeases = (instance: string, count: number) => void;

export interface LeaseHolder {
  /** Asks the holder to give the lease back when it can. */
  leave(): void;
  /** Ends the use at once. */
  cut(): void;
}

/** Maximum time that an instance waits for its leases to end before it is removed. */
export interface DrainTimes {
  readonly drainSeconds: number;
  /** For an instance that is only not needed any more: its removal is not urgent. */
  readonly leaveSeconds: number;
}

interface Entry {
  readonly uses: Set<LeaseHolder>;
  /** Resolves when the last use has ended. */
  readonly emptied: PromiseWithResolvers<void>;
  /** Deadline, set by the first drain. A retried removal does not restart the wait, it can only shorten it. */
  giveUpAt: number | undefined;
}

export class InstanceLeases {
  readonly #times: DrainTimes;
  #onLeases: OnLeases = () => {};
  readonly #entries = new Map<string, Entry>();
  #count = 0;

  constructor(times: DrainTimes) {
    this.#times = times;
  }

  /** Calls `onLeases` for every change from now on. */
  watch(onLeases: OnLeases): void {
    this.#onLeases = onLeases;
  }

  /** Leases held on all instances. */
  get count(): number {
    return this.#count;
  }

  /** Returns a function that ends the use; a second call does nothing. */
  begin(instance: string, use: LeaseHolder): () => void {
    const entry = this.#entries.get(instance) ?? newEntry();
    this.#entries.set(instance, entry);
    entry.uses.add(use);
    this.#count += 1;
    this.#onLeases(instance, entry.uses.size);
    return () => {
      if (!entry.uses.delete(use)) return;
      this.#count -= 1;
      if (entry.uses.size === 0) {
        this.#entries.delete(instance);
        entry.emptied.resolve();
      }
      this.#onLeases(instance, entry.uses.size);
    };
  }

  /** Asks all holders to give their leases back when they have nothing under way. */
  recall(instance: string): void {
    for (const { leave } of [...(this.#entries.get(instance)?.uses ?? [])]) leave();
  }

  /**
   * Asks clients to leave, and waits until they have left, the signal aborts, or the drain timeout ends; for a leaving
   * instance that timeout is as long as a request may take. Resolves at once without connections.
   */
  async drain(instance: string, signal: AbortSignal, isLeaving: boolean): Promise<void> {
    const entry = this.#entries.get(instance);
    if (entry === undefined) return;
    this.recall(instance);
    const { drainSeconds, leaveSeconds } = this.#times;
    const patienceMs = (isLeaving ? Math.max(leaveSeconds, drainSeconds) : drainSeconds) * 1_000;
    entry.giveUpAt = Math.min(entry.giveUpAt ?? Number.POSITIVE_INFINITY, performance.now() + patienceMs);
    const emptied = new AbortController();
    const leftMs = Math.max(0, entry.giveUpAt - performance.now());
    const patience = pause(leftMs, AbortSignal.any([signal, emptied.signal]));
    await Promise.race([entry.emptied.promise, patience]);
    emptied.abort();
  }

  /** The container has ended: open connections would hang, or reach the next instance that gets its address. */
  cut(instance: string): void {
    for (const { cut } of [...(this.#entries.get(instance)?.uses ?? [])]) cut();
  }

  /** For the stop of the runner: recalls the leases of all instances, then cuts those still held after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    const entries = [...this.#entries];
    for (const [instance] of entries) this.recall(instance);
    await settlesWithin(patienceMs, Promise.all(entries.map(([, { emptied }]) => emptied.promise)));
    for (const instance of [...this.#entries.keys()]) this.cut(instance);
  }
}

const newEntry = (): Entry => ({ uses: new Set(), emptied: Promise.withResolvers(), giveUpAt: undefined });
