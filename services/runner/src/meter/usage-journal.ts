// Intervals that are open or not acknowledged, and the instances that have them, in a file. A write that fails is logged
// and reported to the caller: metering never stops or delays an instance.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { UsageBatch } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { z } from 'zod';
import type { Interval } from './interval.ts';
import { journalSchema, journalStatements as statements } from './journal-statements.ts';

const Flag = z.int().transform((flag) => flag === 1);
const KeptClock = z.object({ bootId: z.string(), offsetMs: z.int(), sinceMs: z.int() });
export type KeptClock = z.infer<typeof KeptClock>;

const InstanceRecord = z.object({
  instance: z.string(),
  nextNumber: z.int(),
  /** End of its last interval; the next one does not begin earlier. */
  lastMs: z.int(),
  /** Run of its last interval. */
  lastRun: z.string(),
  /** Nothing further comes. */
  hasEnded: Flag,
});
export type InstanceRecord = z.infer<typeof InstanceRecord>;

const StoredInterval = z.object({
  instance: z.string(),
  number: z.int(),
  fromMs: z.int(),
  toMs: z.int(),
  fromUptimeMs: z.int(),
  memoryMb: z.int(),
  run: z.string(),
  isOpen: Flag,
}) satisfies z.ZodType<Interval>;
const SentInterval = StoredInterval.omit({ fromUptimeMs: true, run: true, isOpen: true });
const Id = z.object({ instance: z.string() });
const Origin = z.object({ firstNumber: z.int() });
const Count = z.object({ count: z.int() });

export class UsageJournal {
  /** Number of the first interval of an instance that this journal does not know. */
  readonly firstNumber: number;
  readonly #database: DatabaseSync;
  readonly #logger: Logger;
  readonly #prepared = new Map<string, StatementSync>();
  #lastFailure = '';

  constructor(database: DatabaseSync, firstNumber: number, logger: Logger) {
    database.exec(journalSchema);
    this.#database = database;
    this.#logger = logger;
    this.#statement(statements.begin).run(firstNumber);
    // A file without one of the columns fails here, and not later.
    for (const sql of Object.values(statements)) this.#statement(sql);
    this.firstNumber = Origin.parse(this.#statement(statements.origin).get()).firstNumber;
  }

  clock(): KeptClock | undefined {
    return this.#read(undefined, () => KeptClock.optional().parse(this.#statement(statements.clock).get()));
  }

  saveClock({ bootId, offsetMs, sinceMs }: KeptClock): boolean {
    return this.#write(() => this.#statement(statements.saveClock).run({ bootId, offsetMs, sinceMs }));
  }

  /** Latest time in the journal. */
  latestMs(): number {
    return this.#read(0, () => Count.parse(this.#statement(statements.latest).get()).count);
  }

  openIntervals(): Interval[] {
    return this.#read([], () =>
      this.#statement(statements.open)
        .all()
        .map((row) => StoredInterval.parse(row)),
    );
  }

  instances(): InstanceRecord[] {
    return this.#read([], () =>
      this.#statement(statements.instances)
        .all()
        .map((row) => InstanceRecord.parse(row)),
    );
  }

  /** False when nothing could be written. */
  write(intervals: Iterable<Interval>, instances: Iterable<InstanceRecord>): boolean {
    const [saveInterval, clear] = [this.#statement(statements.saveInterval), this.#statement(statements.clear)];
    return this.#write(() => {
      for (const each of intervals) {
        const { instance, number, isOpen } = each;
        saveInterval.run({ ...each, isOpen: Number(isOpen) });
        // It may have been sent up to this end while it was open.
        if (!isOpen) clear.run({ instance, number });
      }
      const saveInstance = this.#statement(statements.saveInstance);
      for (const each of instances) saveInstance.run({ ...each, hasEnded: Number(each.hasEnded) });
    });
  }

  /** Notes how far open intervals reach. */
  mark(intervals: readonly Interval[]): boolean {
    const marks = intervals.map(({ instance, number, toMs }) => ({ instance, number, toMs }));
    return this.#write(() => this.#statement(statements.mark).run(JSON.stringify(marks)));
  }

  /**
   * What the api has not acknowledged, oldest first. An instance is `ended` once all of its intervals are acknowledged: its
   * account may be forgotten then.
   */
  unsent(max: number, withOpen: boolean): UsageBatch {
    return this.#read({ intervals: [], ended: [] }, () => {
      const closed = this.#statement(statements.unsentClosed).all(max);
      const open = withOpen ? this.#statement(statements.unsentOpen).all(max - closed.length) : [];
      const intervals = [...closed, ...open].map((row) => SentInterval.parse(row));
      const ends = intervals.length < max ? this.#statement(statements.unsentEnds).all(max) : [];
      return { intervals, ended: ends.map((row) => Id.parse(row).instance) };
    });
  }

  /** An interval that has grown since it was sent stays. */
  acknowledge({ intervals, ended }: UsageBatch): boolean {
    const [acknowledge, clear] = [this.#statement(statements.acknowledge), this.#statement(statements.clear)];
    return this.#write(() => {
      for (const { instance, number, toMs } of intervals) {
        acknowledge.run({ instance, number, toMs });
        clear.run({ instance, number });
      }
      for (const instance of ended) this.#statement(statements.forget).run({ instance });
    });
  }

  countUnacknowledged(): number {
    return this.#read(0, () => Count.parse(this.#statement(statements.count).get()).count);
  }

  close(): void {
    try {
      this.#database.close();
    } catch (err) {
      this.#logFailure(err);
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(sql);
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #write(work: () => unknown): boolean {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      work();
      this.#database.exec('COMMIT');
      this.#lastFailure = '';
      return true;
    } catch (err) {
      this.#logFailure(err);
      this.#rollBack();
      return false;
    }
  }

  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch (err) {
      this.#logFailure(err);
    }
  }

  #read<T>(fallback: T, work: () => T): T {
    try {
      return work();
    } catch (err) {
      this.#logFailure(err);
      return fallback;
    }
  }

  /** Logs a repeated failure once, until another failure occurs or a write succeeds. */
  #logFailure(err: unknown): void {
    const words = err instanceof Error ? err.message : String(err);
    if (words === this.#lastFailure) return;
    this.#lastFailure = words;
    this.#logger.error({ err }, 'journal of usage failed; retrying, and a killed runner bills less');
  }
}
