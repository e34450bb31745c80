// Last observation of every instance, and which of them the api has not acknowledged. A newer report replaces an
// unsent one: the api needs the current state, not the earlier ones.
import type { InstanceReport } from '@berth/contract/node';

type OfSandbox = 'awake' | 'usedMsAgo' | 'isExpired';
export type Observation = Omit<InstanceReport, 'instance' | 'sequence' | OfSandbox>;
/** Facts about a sandbox beside its state; they come from the sleep manager, not from the converger. */
export type SandboxActivity = Pick<InstanceReport, OfSandbox> & { readonly usedMsAgo: number };

const maxMessage = 2_000;

interface Noted {
  readonly observation: Observation;
  /** Time of the observation: `endedMsAgo` of a task grows until the report is sent. */
  readonly atMs: number;
}

export class PendingReports {
  readonly #latest = new Map<string, Noted>();
  /** Activity of sandboxes, with the time at which it was noted: `usedMsAgo` grows until the report is sent. */
  readonly #activity = new Map<string, { readonly activity: SandboxActivity; readonly atMs: number }>();
  /** Sequence number of the report that the api has not acknowledged, by instance. */
  readonly #unacknowledged = new Map<string, number>();
  readonly #now: () => number;
  #sequence = 0;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  stateOf(instance: string): Observation['state'] | undefined {
    return this.#latest.get(instance)?.observation.state;
  }

  put(instance: string, observation: Observation): void {
    const { message } = observation;
    const bounded = message === undefined ? observation : { ...observation, message: message.slice(0, maxMessage) };
    this.#latest.set(instance, { observation: bounded, atMs: this.#now() });
    // Activity of a run that is over does not apply to the next run.
    if (observation.state !== 'ready') this.#activity.delete(instance);
    this.#unacknowledged.set(instance, this.#next());
  }

  /** The activity waits until the instance is ready, and is part of every report of it from then on. */
  putActivity(instance: string, activity: SandboxActivity): void {
    this.#activity.set(instance, { activity, atMs: this.#now() });
    if (this.stateOf(instance) === 'ready') this.#unacknowledged.set(instance, this.#next());
  }

  /** A new session starts without any reports, so all are sent again. */
  resendAll(): void {
    for (const instance of this.#latest.keys()) this.#unacknowledged.set(instance, this.#next());
  }

  nextBatch(max: number): InstanceReport[] {
    const reports: InstanceReport[] = [];
    for (const [instance, sequence] of this.#unacknowledged) {
      const noted = this.#latest.get(instance);
      if (noted !== undefined)
        reports.push({ ...this.#current(noted), ...this.#activityOf(instance), instance, sequence });
      if (reports.length >= max) break;
    }
    return reports;
  }

  acknowledge(reports: readonly InstanceReport[]): void {
    for (const { instance, sequence, state } of reports) {
      // A newer report took its place meanwhile and is still to be sent.
      if (this.#unacknowledged.get(instance) !== sequence) continue;
      this.#unacknowledged.delete(instance);
      if (state === 'gone') this.#latest.delete(instance);
    }
  }

  countByState(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { observation } of this.#latest.values()) {
      const { state } = observation;
      counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    return counts;
  }

  #current({ observation, atMs }: Noted): Observation {
    const { result } = observation;
    if (result === undefined) return observation;
    return { ...observation, result: { ...result, endedMsAgo: result.endedMsAgo + this.#now() - atMs } };
  }

  #activityOf(instance: string): SandboxActivity | undefined {
    const noted = this.#activity.get(instance);
    if (noted === undefined || this.stateOf(instance) !== 'ready') return undefined;
    const { activity, atMs } = noted;
    return { ...activity, usedMsAgo: activity.usedMsAgo + this.#now() - atMs };
  }

  #next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }
}
