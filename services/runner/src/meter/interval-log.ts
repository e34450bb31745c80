// Numbers and bounds the intervals of each instance, and notes them in the journal.
import type { Instant, Interval } from './interval.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { InstanceRecord, UsageJournal } from './usage-journal.ts';

export interface IntervalLogOptions {
  readonly journal: Pick<UsageJournal, 'firstNumber' | 'instances'>;
  readonly writer: JournalWriter;
  /** An interval was closed or an instance has ended: there is something to send. */
  readonly onDue: () => void;
}

/** No run has this name. */
const heldRun = '';

export class IntervalLog {
  readonly #options: IntervalLogOptions;
  readonly #instances: Map<string, InstanceRecord>;

  constructor(options: IntervalLogOptions) {
    this.#options = options;
    this.#instances = new Map(options.journal.instances().map((known) => [known.instance, known]));
  }

  /** Instances that may have usage and have not ended. */
  instances(): string[] {
    return [...this.#instances.values()].flatMap(({ instance, hasEnded }) => (hasEnded ? [] : [instance]));
  }

  hasEnded(instance: string): boolean {
    return this.#instances.get(instance)?.hasEnded === true;
  }

  /** Run of the instance's last interval. */
  lastRun(instance: string): string | undefined {
    return this.#instances.get(instance)?.lastRun;
  }

  /** `earliestMs`: usage before it may have been metered by an earlier journal. */
  begin(
    { instance, memoryMb, run }: Pick<Interval, 'instance' | 'memoryMb' | 'run'>,
    { nowMs, uptimeMs }: Instant,
    { sinceMs, earliestMs }: { readonly sinceMs: number; readonly earliestMs: number },
  ): Interval {
    const record = this.#recordOf(instance);
    const fromMs = Math.min(nowMs, Math.max(Math.floor(sinceMs), record.lastMs, earliestMs));
    const fromUptimeMs = uptimeMs - (nowMs - fromMs);
    const number = record.nextNumber;
    const interval = { instance, number, fromMs, toMs: fromMs, fromUptimeMs, memoryMb, run, isOpen: true };
    this.#note(interval, { ...record, nextNumber: number + 1, lastRun: run }, 'later');
    return interval;
  }

  close(interval: Interval, endMs: number): void {
    const toMs = Math.floor(endMs);
    this.#note({ ...interval, toMs, isOpen: false }, { ...this.#recordOf(interval.instance), lastMs: toMs });
    this.#options.onDue();
  }

  /** The next process does not continue it: a freeze and a thaw may come before anything else is noted. */
  hold(interval: Interval): void {
    this.#note({ ...interval, run: heldRun }, this.#recordOf(interval.instance));
  }

  /** It was not frozen after all. */
  resume(interval: Interval): void {
    this.#note(interval, this.#recordOf(interval.instance));
  }

  end(instance: string): void {
    const record = { ...this.#recordOf(instance), hasEnded: true };
    this.#instances.set(instance, record);
    this.#options.writer.putInstance(record);
    this.#options.onDue();
  }

  /** The api knows that these instances have ended. */
  forget(instances: readonly string[]): void {
    for (const instance of instances) this.#instances.delete(instance);
  }

  #note(interval: Interval, record: InstanceRecord, when: 'soon' | 'later' = 'soon'): void {
    this.#instances.set(record.instance, record);
    this.#options.writer.put(interval, record, when);
  }

  #recordOf(instance: string): InstanceRecord {
    const { firstNumber } = this.#options.journal;
    const unknown = { instance, nextNumber: firstNumber, lastMs: 0, lastRun: '', hasEnded: false };
    return this.#instances.get(instance) ?? unknown;
  }
}
