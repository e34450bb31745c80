// When counters are read and written: four times a second while they are in use, and at once for a request that needs sums that
// are not known. One statement at a time; all that wait share the next one.
import { answerInTime, settlesWithin } from '@berth/concurrency';
import type { Logger } from '@berth/telemetry';
import { type Counter, isChanged } from './counter.ts';
import type { Counters } from './counters.ts';
import type { SentCounter, SyncAnswer } from './sync-windows.ts';
import type { WindowClock } from './window-clock.ts';

export interface LimitSync {
  /** Reads the sums of the counters, and the clock. False when PostgreSQL did not answer. */
  read(counters: readonly Counter[]): Promise<boolean>;
  /** True from a failure to the next success: waiting for PostgreSQL would only fail again. */
  isAway(): boolean;
  /** Writes what has changed and reads what is in use. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface LimitSyncOptions {
  readonly counters: Counters;
  readonly clock: WindowClock;
  /** Throws when it is not known whether the sums were stored. */
  readonly sync: (sent: readonly SentCounter[]) => Promise<SyncAnswer>;
  readonly logger: Logger;
  readonly flushMs: number;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Time that the last write may take. */
const closeMs = 5_000;

interface Turn {
  readonly counters: ReadonlySet<Counter>;
  readonly isDone: Promise<boolean>;
}

interface NextTurn {
  readonly counters: Set<Counter>;
  readonly done: PromiseWithResolvers<boolean>;
}

export function createLimitSync({ counters, clock, sync, logger, flushMs, now }: LimitSyncOptions): LimitSync {
  let current: Turn | undefined;
  let next: NextTurn | undefined;
  /** Whether the last statement failed. It is repeated until one succeeds, also when no limit is in use. */
  let hasFailed = false;

  function start(wanted: Iterable<Counter>): Promise<boolean> {
    const included = new Set([...counters.due(), ...wanted]);
    const isDone = run([...included]);
    current = { counters: included, isDone };
    return isDone;
  }

  async function run(included: readonly Counter[]): Promise<boolean> {
    const sent = included.map((counter) => ({ counter, own: counter.own, isChanged: isChanged(counter) }));
    // A slow answer is better than none where nothing is known yet.
    const hasStandIn = clock.now() !== undefined && included.every(({ read }) => read !== undefined);
    try {
      store(sent, await answerInTime(sync(sent), { hasStandIn }));
      return true;
    } catch (err) {
      noteFailure(err);
      return false;
    } finally {
      startNext();
    }
  }

  function store(sent: readonly SentCounter[], { clockMs, others }: SyncAnswer): void {
    clock.set(clockMs);
    const read = { atMs: now(), clockMs };
    for (const [index, { counter, own }] of sent.entries()) {
      counter.written = own;
      counter.others = others[index] ?? counter.others;
      counter.read = read;
    }
    counters.forget(clockMs);
    if (hasFailed) logger.info({ event: 'gateway.limits_synced' }, 'limits of models are read and written again');
    hasFailed = false;
  }

  function noteFailure(err: unknown): void {
    if (!hasFailed)
      logger.warn(
        { err, event: 'gateway.limits_failed' },
        'limits of models could not be read and written; budgets refuse requests, and token policies do after a minute',
      );
    hasFailed = true;
  }

  function startNext(): void {
    current = undefined;
    const turn = next;
    next = undefined;
    if (turn !== undefined) void start(turn.counters).then(turn.done.resolve);
  }

  async function flush(): Promise<void> {
    // A statement that is under way lacks the latest requests.
    while (current !== undefined) await current.isDone;
    if (hasFailed || counters.due().length > 0) await start([]);
  }

  const timer = setInterval(() => {
    if (current === undefined) void flush();
  }, flushMs).unref();
  return {
    flush,
    read(wanted) {
      if (current === undefined) return start(wanted);
      const { counters: included, isDone } = current;
      if (wanted.every((counter) => included.has(counter))) return isDone;
      next ??= { counters: new Set(), done: Promise.withResolvers() };
      for (const counter of wanted) next.counters.add(counter);
      return next.done.promise;
    },
    isAway: () => hasFailed,
    async close() {
      clearInterval(timer);
      await settlesWithin(closeMs, flush());
    },
  };
}
