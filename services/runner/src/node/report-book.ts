// What is known of every instance, and what of it the api has not yet heard. While a report waits to be sent a newer one
// takes its place: the api wants to know how things are, not how they were.
import type { InstanceReport } from '@berth/contract';

type OfSandbox = 'awake' | 'usedMsAgo' | 'isExpired';
export type Observation = Omit<InstanceReport, 'instance' | 'sequence' | OfSandbox>;
/** What is said of a sandbox beside its state, by somebody else. */
export type News = Pick<InstanceReport, OfSandbox> & { readonly usedMsAgo: number };

const mostMessage = 2_000;

export class ReportBook {
  readonly #known = new Map<string, Observation>();
  /** Of sandboxes, with the moment at which it was so: an age grows until it is told. */
  readonly #news = new Map<string, { readonly news: News; readonly atMs: number }>();
  /** By instance: the sequence of what the api should hear. */
  readonly #unheard = new Map<string, number>();
  readonly #now: () => number;
  #sequence = 0;

  /** `now` in milliseconds of a clock that never jumps. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  stateOf(instance: string): Observation['state'] | undefined {
    return this.#known.get(instance)?.state;
  }

  put(instance: string, observation: Observation): void {
    const { message } = observation;
    const bounded = message === undefined ? observation : { ...observation, message: message.slice(0, mostMessage) };
    this.#known.set(instance, bounded);
    // What was so of a run that is over is not so of the next.
    if (observation.state !== 'ready') this.#news.delete(instance);
    this.#unheard.set(instance, this.#next());
  }

  /** Waits until the instance is ready, and is said with every report of it from then on. */
  note(instance: string, news: News): void {
    this.#news.set(instance, { news, atMs: this.#now() });
    if (this.#known.get(instance)?.state === 'ready') this.#unheard.set(instance, this.#next());
  }

  /** A new session starts from nothing. */
  repeatAll(): void {
    for (const instance of this.#known.keys()) this.#unheard.set(instance, this.#next());
  }

  waiting(most: number): InstanceReport[] {
    const reports: InstanceReport[] = [];
    for (const [instance, sequence] of this.#unheard) {
      const observation = this.#known.get(instance);
      if (observation !== undefined) reports.push({ ...observation, ...this.#newsOf(instance), instance, sequence });
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

  #newsOf(instance: string): News | undefined {
    const noted = this.#news.get(instance);
    if (noted === undefined || this.#known.get(instance)?.state !== 'ready') return undefined;
    const { news, atMs } = noted;
    return { ...news, usedMsAgo: news.usedMsAgo + this.#now() - atMs };
  }

  #next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }
}
