// Meters the instances of this machine: intervals of a fixed amount of memory, for as long as each instance is billed. The
// intervals that grow are in memory, and the journal notes every few seconds how far they reach. A killed process bills
// less, never more.
import { maxUsageIntervals, type UsageBatch } from '@berth/contract/node';
import type { DeploymentClock } from './deployment-clock.ts';
import { endOf, type Instant, type Interval, maxIntervalMs, type OpenInterval, reach } from './interval.ts';
import { IntervalLog } from './interval-log.ts';
import { JournalWriter, type WriteTimers } from './journal-writer.ts';
import type { Beginning, EndedRun, MeteredRun } from './metered-run.ts';
import type { UsageJournal } from './usage-journal.ts';

interface MeterTimers extends WriteTimers {
  /** Returns a function that stops it. */
  every(ms: number, work: () => void): () => void;
}

export interface UsageMeterOptions {
  readonly clock: DeploymentClock;
  readonly journal: UsageJournal;
  readonly timers: MeterTimers;
  readonly isAlive: (pid: number) => boolean;
  /** Time of the machine's clock, by which the engine stamps. */
  readonly systemMs: () => number;
  /** There is something to send. */
  readonly onDue: () => void;
}

interface Start {
  readonly instant: Instant;
  readonly sinceMs: number;
  readonly isHeld?: boolean;
}

const markMs = 5_000;

export class UsageMeter {
  readonly #options: UsageMeterOptions;
  readonly #writer: JournalWriter;
  readonly #log: IntervalLog;
  readonly #open = new Map<string, OpenInterval>();
  /** Left open by an earlier process of this boot. */
  readonly #inherited = new Map<string, Interval>();
  /** Begins once the clock is known. */
  readonly #awaiting = new Map<string, MeteredRun>();
  readonly #stopMarks: () => void;
  #isClosed = false;

  constructor(options: UsageMeterOptions) {
    const { journal, clock, timers, onDue } = options;
    this.#options = options;
    this.#writer = new JournalWriter(journal, timers);
    this.#log = new IntervalLog({ journal, writer: this.#writer, onDue });
    for (const interval of journal.openIntervals()) {
      if (clock.continuesBoot) this.#inherited.set(interval.instance, interval);
      else this.#log.close(interval, interval.toMs);
    }
    this.#stopMarks = timers.every(markMs, () => this.mark());
  }

  /** Instances that may have usage and have not ended. */
  instances(): string[] {
    return this.#log.instances();
  }

  get unacknowledged(): number {
    return this.#isClosed ? 0 : this.#options.journal.countUnacknowledged();
  }

  setClock(nowMs: number): void {
    if (this.#isClosed) return;
    this.#options.clock.set(nowMs);
    const awaiting = [...this.#awaiting];
    this.#awaiting.clear();
    for (const [instance, run] of awaiting) this.begin(instance, run);
  }

  now(): number | undefined {
    return this.#options.clock.now();
  }

  /** Deployment time at a past time of the machine's clock. */
  timeAt(systemMs: number | undefined): number | undefined {
    const nowMs = this.now();
    if (nowMs === undefined || systemMs === undefined) return undefined;
    return nowMs - Math.max(0, this.#options.systemMs() - systemMs);
  }

  /** Does nothing for a run that is metered with this memory already. */
  begin(instance: string, { continues = false, sinceMs, ...run }: Beginning): void {
    if (this.#isClosed || run.memoryMb <= 0 || this.#log.hasEnded(instance)) return;
    if (this.#goesOn(instance, run, continues) || !this.#isAlive(run.pid)) return;
    const instant = this.#options.clock.instant();
    if (instant === undefined) this.#awaiting.set(instance, run);
    else this.#start(instance, run, { instant, sinceMs: sinceMs ?? instant.nowMs });
  }

  /** The memory of an instance has changed while it runs. */
  change(instance: string, memoryMb: number): void {
    const awaiting = this.#awaiting.get(instance);
    if (awaiting !== undefined) this.#awaiting.set(instance, { ...awaiting, memoryMb });
    const open = this.#open.get(instance);
    const inherited = this.#inherited.get(instance);
    if (this.#isClosed || open?.interval.memoryMb === memoryMb) return;
    if (inherited !== undefined && inherited.memoryMb !== memoryMb) this.#close(inherited, inherited.toMs);
    if (open === undefined) return;
    const { interval, pid, isHeld } = open;
    this.end(instance);
    const instant = this.#options.clock.instant();
    if (instant === undefined || memoryMb <= 0 || !this.#isAlive(pid)) return;
    this.#start(instance, { memoryMb, run: interval.run, pid }, { instant, sinceMs: instant.nowMs, isHeld });
    // At once: the next process takes the memory that the journal has for the one of that time.
    this.#writer.flush();
  }

  /** A sandbox is about to be frozen: its interval does not grow until `end`, or until `begin` says that it goes on. */
  hold(instance: string): void {
    this.#awaiting.delete(instance);
    const open = this.#open.get(instance);
    if (open === undefined || open.isHeld || this.#isClosed) return;
    const toMs = this.#endOf(open);
    const interval = { ...open.interval, toMs };
    this.#open.set(instance, { ...open, interval, isHeld: true });
    this.#log.hold(interval);
  }

  /**
   * `atMs` is the end of the process, where it is known to be earlier than now. An interval of an earlier process of the
   * runner ends at its last mark, unless `run` names the run that ended.
   */
  end(instance: string, atMs?: number, run?: string): void {
    if (this.#isClosed) return;
    this.#awaiting.delete(instance);
    const inherited = this.#inherited.get(instance);
    const open = this.#open.get(instance);
    if (open !== undefined) this.#close(open.interval, this.#endOf(open, atMs));
    if (inherited === undefined) return;
    const isKnown = atMs !== undefined && run === inherited.run;
    const left = { interval: inherited, pid: undefined, isHeld: false, goneMs: undefined };
    this.#close(inherited, isKnown ? this.#endOf(left, atMs) : inherited.toMs);
  }

  /** Meters a run that is over and may never have been seen running. Each run counts once. */
  record(instance: string, { fromMs, toMs, ...run }: EndedRun): void {
    this.end(instance, toMs, run.run);
    const instant = this.#options.clock.instant();
    if (this.#isClosed || instant === undefined || run.memoryMb <= 0) return;
    if (this.#log.hasEnded(instance) || this.#log.lastRun(instance) === run.run) return;
    const interval = this.#start(instance, run, { instant, sinceMs: fromMs });
    this.#close(interval, Math.max(interval.fromMs, Math.min(toMs, instant.nowMs)));
  }

  /** Nothing of the instance is left on this machine, and nothing further comes. */
  forget(instance: string): void {
    if (this.#isClosed) return;
    this.end(instance);
    this.#log.end(instance);
  }

  /** Notes in the journal how far the open intervals reach. */
  mark(): void {
    const instant = this.#options.clock.instant();
    if (instant === undefined || this.#isClosed) return;
    for (const open of [...this.#open.values()]) this.#grow(open, instant);
    if (!this.#writer.flush() || this.#open.size === 0) return;
    this.#options.journal.mark([...this.#open.values()].map(({ interval }) => interval));
  }

  nextBatch(withOpen: boolean): UsageBatch {
    this.#writer.flush();
    return this.#options.journal.unsent(maxUsageIntervals, withOpen);
  }

  /** False when the journal could not be written: the batch is then sent again. */
  acknowledge(batch: UsageBatch): boolean {
    if (!this.#options.journal.acknowledge(batch)) return false;
    this.#log.forget(batch.ended);
    return true;
  }

  /** Leaves intervals open: the next process continues them. */
  close(): void {
    this.#stopMarks();
    this.mark();
    this.#isClosed = true;
    this.#options.journal.close();
  }

  /** True when an interval of the run is open and continues. */
  #goesOn(instance: string, { memoryMb, run, pid }: MeteredRun, continues: boolean): boolean {
    const inherited = this.#inherited.get(instance);
    if (inherited !== undefined) {
      const isSame = continues && inherited.run === run && inherited.memoryMb === memoryMb;
      if (!isSame) this.#close(inherited, inherited.toMs);
      else this.#open.set(instance, { interval: inherited, pid, isHeld: false, goneMs: undefined });
      this.#inherited.delete(instance);
      return isSame;
    }
    const open = this.#open.get(instance);
    if (open === undefined) return false;
    // A thaw after a failed freeze: whether the sandbox was frozen in between is not known.
    const wasFrozen = open.isHeld && !continues;
    if (open.interval.run !== run || wasFrozen) {
      this.#close(open.interval, open.interval.toMs);
      return false;
    }
    this.#open.set(instance, { ...open, isHeld: false });
    if (open.isHeld) this.#log.resume(open.interval);
    this.change(instance, memoryMb);
    return true;
  }

  #grow(open: OpenInterval, instant: Instant): void {
    const { interval, pid, isHeld, goneMs } = open;
    const { instance, fromMs } = interval;
    if (isHeld || goneMs !== undefined) return;
    const toMs = reach(interval, instant);
    const isAlive = this.#isAlive(pid);
    this.#open.set(instance, isAlive ? { ...open, interval: { ...interval, toMs } } : { ...open, goneMs: toMs });
    if (!isAlive || toMs - fromMs < maxIntervalMs) return;
    this.#close(interval, toMs);
    this.#start(instance, { ...interval, pid }, { instant, sinceMs: instant.nowMs });
  }

  #endOf(open: OpenInterval, atMs?: number): number {
    const instant = this.#options.clock.instant();
    if (instant === undefined) return open.interval.toMs;
    return endOf(open, instant, { atMs, isAlive: this.#isAlive(open.pid) });
  }

  #start(instance: string, { pid, ...run }: MeteredRun, { instant, sinceMs, isHeld = false }: Start): Interval {
    const earliestMs = this.#options.clock.sinceMs;
    const { memoryMb, run: name } = run;
    const interval = this.#log.begin({ instance, memoryMb, run: name }, instant, { sinceMs, earliestMs });
    this.#open.set(instance, { interval, pid, isHeld, goneMs: undefined });
    if (isHeld) this.#log.hold(interval);
    return interval;
  }

  #close(interval: Interval, endMs: number): void {
    this.#open.delete(interval.instance);
    this.#inherited.delete(interval.instance);
    this.#log.close(interval, endMs);
  }

  #isAlive(pid: number | undefined): boolean {
    return pid === undefined || this.#options.isAlive(pid);
  }
}
