// Last observation of every instance, and which of them the api has not acknowledged. A newer report replaces an
// unsent one: the api needs the current state, not the earlier ones.
import type { InstanceReport } from '@berth/contract/node';

type OfSandbox = 'awake' | 'usedMsAgo' | 'isExpired';
export type Observation = Omit<InstanceReport, 'instance' | 'sequence' | OfSandbox>;
/** Facts about a sandbox beside its state; they come from the sandbox keeper, not from the converger. */
export type News = Pick<InstanceReport, OfSandbox> & { readonly usedMsAgo: number };

const mostMessage = 2_000;

export class ReportBook {
  readonly #known = new Map<string, Observation>();
  /** News of sandboxes, with the time at which it was noted: `usedMsAgo` grows until the report is sent. */
  readonly #news = new Map<string, { readonly news: News; readonly atMs: number }>();
  /** Sequence number of the report that the api has not acknowledged, by instance. */
  readonly #unheard = new Map<string, number>();
  readonly #now: () => number;
  #sequence = 0;

  /** `now` returns milliseconds of a monotonic clock. */
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
    // News of a run that is over does not apply to the next run.
    if (observation.state !== 'ready') this.#news.delete(instance);
    this.#unheard.set(instance, this.#next());
  }

  /** The news waits until the instance is ready, and is part of every report of it from then on. */
  note(instance: string, news: News): void {
    this.#news.set(instance, { news, atMs: this.#now() });
    if (this.#known.get(instance)?.state === 'ready') this.#unheard.set(instance, this.#next());
  }

  /** A new session starts without any reports, so all are sent again. */
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
      // A newer report took its place meanwhile and is still to be sent.
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
