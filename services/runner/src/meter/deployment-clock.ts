// Time of the deployment on this machine: the api's time in the welcome message, carried on by the monotonic clock since
// boot. A changed system time does not move it. All processes of a boot share that clock, so the next process of the
// runner has the time before it is connected.
import type { Instant } from './interval.ts';
import type { UsageJournal } from './usage-journal.ts';

export interface DeploymentClockOptions {
  readonly journal: Pick<UsageJournal, 'clock' | 'latestMs' | 'saveClock'>;
  /** Differs after each boot of the machine. */
  readonly bootId: string;
  /** Whole milliseconds since boot. */
  readonly uptimeMs: () => number;
}

export class DeploymentClock {
  /** The journal was last written in this boot, so runs that it names may still run. */
  readonly continuesBoot: boolean;
  readonly #options: DeploymentClockOptions;
  #offsetMs: number | undefined;
  #sinceMs: number | undefined;
  #latestMs: number;

  constructor(options: DeploymentClockOptions) {
    const kept = options.journal.clock();
    this.#options = options;
    this.continuesBoot = kept?.bootId === options.bootId;
    if (this.continuesBoot) this.#offsetMs = kept?.offsetMs;
    this.#sinceMs = kept?.sinceMs;
    this.#latestMs = options.journal.latestMs();
  }

  /** Time from which the journal holds all usage. Nothing before it is metered a second time. */
  get sinceMs(): number {
    return this.#sinceMs ?? 0;
  }

  /** A later offset replaces the earlier one, because each is as exact as its message was fast. */
  set(nowMs: number): void {
    const { bootId, uptimeMs, journal } = this.#options;
    this.#offsetMs = Math.floor(nowMs) - uptimeMs();
    this.#sinceMs ??= this.now();
    journal.saveClock({ bootId, offsetMs: this.#offsetMs, sinceMs: this.sinceMs });
  }

  /** Milliseconds since 1970; undefined before the first welcome of this boot. Never earlier than a time given before. */
  now(): number | undefined {
    return this.instant()?.nowMs;
  }

  instant(): Instant | undefined {
    if (this.#offsetMs === undefined) return undefined;
    const uptimeMs = this.#options.uptimeMs();
    this.#latestMs = Math.max(this.#latestMs, this.#offsetMs + uptimeMs);
    return { nowMs: this.#latestMs, uptimeMs };
  }
}
