// Changes of intervals on their way to the journal. A wake does not wait for a write, and neither does the request that woke
// the sandbox: a beginning is written a moment later. A failed write is repeated with the next one.
import type { Interval } from './interval.ts';
import type { InstanceRecord, UsageJournal } from './usage-journal.ts';

/** On a disk that stays full for days, the oldest changes are lost before the memory of the machine is. */
const maxUnwritten = 100_000;

export interface WriteTimers {
  /** Runs the work after the one in progress. */
  soon(work: () => void): void;
  /** Runs the work when a request that woke a sandbox has been answered, as far as that can be known. */
  later(work: () => void): void;
}

export class JournalWriter {
  readonly #journal: Pick<UsageJournal, 'write'>;
  readonly #timers: WriteTimers;
  readonly #intervals = new Map<string, Interval>();
  readonly #instances = new Map<string, InstanceRecord>();
  #isDue = false;
  #isDueLater = false;

  constructor(journal: Pick<UsageJournal, 'write'>, timers: WriteTimers) {
    this.#journal = journal;
    this.#timers = timers;
  }

  put(interval: Interval, instance: InstanceRecord, when: 'soon' | 'later'): void {
    this.#intervals.set(`${interval.instance} ${interval.number}`, interval);
    this.#instances.set(instance.instance, instance);
    if (when === 'later') this.#flushLater();
    else this.#flushSoon();
  }

  putInstance(instance: InstanceRecord): void {
    this.#instances.set(instance.instance, instance);
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#timers.soon(() => this.flush());
  }

  #flushLater(): void {
    if (this.#isDueLater) return;
    this.#isDueLater = true;
    this.#timers.later(() => this.flush());
  }

  /** False while the journal does not have the changes. */
  flush(): boolean {
    this.#isDue = false;
    this.#isDueLater = false;
    if (this.#intervals.size === 0 && this.#instances.size === 0) return true;
    const isWritten = this.#journal.write(this.#intervals.values(), this.#instances.values());
    if (isWritten) {
      this.#intervals.clear();
      this.#instances.clear();
      return true;
    }
    const [oldest] = this.#intervals.keys();
    if (this.#intervals.size > maxUnwritten && oldest !== undefined) this.#intervals.delete(oldest);
    return false;
  }
}
