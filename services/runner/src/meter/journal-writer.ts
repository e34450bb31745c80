// Changes of intervals on their way to the journal: a wake does not wait for a write. A failed write is repeated with the
// next one.
import type { Interval } from './interval.ts';
import type { InstanceRecord, UsageJournal } from './usage-journal.ts';

/** On a disk that stays full for days, the oldest changes are lost before the memory of the machine is. */
const maxUnwritten = 100_000;

export class JournalWriter {
  readonly #journal: Pick<UsageJournal, 'write'>;
  readonly #soon: (work: () => void) => void;
  readonly #intervals = new Map<string, Interval>();
  readonly #instances = new Map<string, InstanceRecord>();
  #isDue = false;

  /** `soon` runs the work after the one in progress. */
  constructor(journal: Pick<UsageJournal, 'write'>, soon: (work: () => void) => void) {
    this.#journal = journal;
    this.#soon = soon;
  }

  put(interval: Interval, instance: InstanceRecord): void {
    this.#intervals.set(`${interval.instance} ${interval.number}`, interval);
    this.putInstance(instance);
  }

  putInstance(instance: InstanceRecord): void {
    this.#instances.set(instance.instance, instance);
    if (this.#isDue) return;
    this.#isDue = true;
    this.#soon(() => this.flush());
  }

  /** False while the journal does not have the changes. */
  flush(): boolean {
    this.#isDue = false;
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
