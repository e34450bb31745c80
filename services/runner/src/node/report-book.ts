// What is known of every instance, and what of it the api has not yet heard. While a report waits to be sent a newer one
// takes its place: the api wants to know how things are, not how they were.
import type { InstanceReport } from '@berth/contract';

export type Observation = Omit<InstanceReport, 'instance' | 'sequence'>;

const mostMessage = 2_000;

export class ReportBook {
  readonly #known = new Map<string, Observation>();
  /** By instance: the sequence of what the api should hear. */
  readonly #unheard = new Map<string, number>();
  #sequence = 0;

  put(instance: string, observation: Observation): void {
    const { message } = observation;
    const bounded = message === undefined ? observation : { ...observation, message: message.slice(0, mostMessage) };
    this.#known.set(instance, bounded);
    this.#unheard.set(instance, this.#next());
  }

  /** A new session starts from nothing. */
  repeatAll(): void {
    for (const instance of this.#known.keys()) this.#unheard.set(instance, this.#next());
  }

  waiting(most: number): InstanceReport[] {
    const reports: InstanceReport[] = [];
    for (const [instance, sequence] of this.#unheard) {
      const observation = this.#known.get(instance);
      if (observation !== undefined) reports.push({ ...observation, instance, sequence });
      if (reports.length >= most) break;
    }
    return reports;
  }

  heard(reports: readonly InstanceReport[]): void {
    for (const { instance, sequence, state } of reports) {
      // Something newer came meanwhile: that is still to be said.
      if (this.#unheard.get(instance) !== sequence) continue;
      this.#unheard.delete(instance);
      if (state === 'gone') this.#known.delete(instance);
    }
  }

  count(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { state } of this.#known.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
    return counts;
  }

  #next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }
}
