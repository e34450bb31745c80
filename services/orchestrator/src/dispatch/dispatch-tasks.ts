// One run for the whole deployment: shares out what is free, and places the tasks of each execution in a transaction of
// its own. An execution that cannot use its share leaves it to the others.
import type { Logger } from '@berth/telemetry';
import type { Dependencies } from '../run/dependencies.ts';
import { type Timer, timersFor } from '../run/timers.ts';
import { explainWaiting } from './explain-waiting.ts';
import { maxFailed } from './fail-waiting.ts';
import { loadWaiting } from './load-waiting.ts';
import { type PlacedTasks, placeTasks } from './place-tasks.ts';
import { afterPlacing, type Shares, share } from './share.ts';
import type { ShareInput } from './tally.ts';

export interface Dispatched {
  /** Executions of which tasks failed without an attempt. */
  readonly toSettle: readonly string[];
  /** Further tasks can be placed at once. */
  readonly hasMore: boolean;
  readonly timers: readonly Timer[];
}

/** Each round leaves out the executions that could not use their share in the round before. */
const maxRounds = 5;
/** Restate begins a second run when one has been silent for 30 seconds. */
const maxRunMs = 10_000;

export async function dispatchTasks(
  dependencies: Dependencies,
  logger: Logger = dependencies.logger,
): Promise<Dispatched> {
  const { input, now, nextDueAt } = await loadWaiting(dependencies);
  const run = new DispatchRun(dependencies, logger);
  const { rest, shares } = await placeRounds(run, input);
  if (!run.isLate) for (const id of await explainWaiting(dependencies, rest, shares)) await run.place(id, 1);
  const isFull = input.executions.length > 0 && rest.maxTasks < 1;
  const hasUnplaced = run.isShort || [...shares.blocks.values()].includes('runners');
  if (hasUnplaced) dependencies.counters.unplaced.inc();
  return {
    toSettle: run.toSettle,
    hasMore: isFull || run.isLate || run.hasMoreToFail,
    timers: timersFor({ hasUnplaced, dueAt: nextDueAt === undefined ? [] : [nextDueAt] }, 'dispatch', now),
  };
}

interface Rounds {
  readonly rest: ShareInput;
  /** The last decision. */
  readonly shares: Shares;
}

async function placeRounds(run: DispatchRun, input: ShareInput): Promise<Rounds> {
  let rest = input;
  for (let round = 1; ; round += 1) {
    const shares = share(rest);
    const placed = new Map<string, number>();
    const excluded = new Set<string>();
    for (const [id, count] of shares.counts) {
      if (run.isLate) break;
      const done = await run.place(id, count);
      placed.set(id, done?.runnerIds.length ?? 0);
      if ((placed.get(id) ?? 0) < count) excluded.add(id);
    }
    rest = afterPlacing(rest, placed, excluded);
    if (excluded.size === 0 || run.isLate || round === maxRounds) return { rest, shares };
  }
}

class DispatchRun {
  readonly #dependencies: Dependencies;
  readonly #logger: Logger;
  readonly #endsAt = performance.now() + maxRunMs;
  readonly toSettle: string[] = [];
  /** A task that may start has no runner, or could not be placed for an error. */
  isShort = false;
  hasMoreToFail = false;

  constructor(dependencies: Dependencies, logger: Logger) {
    this.#dependencies = dependencies;
    this.#logger = logger;
  }

  get isLate(): boolean {
    return performance.now() > this.#endsAt;
  }

  /** Undefined after an error: the other executions continue, and this one is tried again with the next run. */
  async place(executionId: string, count: number): Promise<PlacedTasks | undefined> {
    const { database, counters, notifyRunner } = this.#dependencies;
    try {
      const done = await database.transaction().execute((tx) => placeTasks(tx, this.#dependencies, executionId, count));
      // After the commit: a runner that is notified earlier would find nothing new.
      for (const runnerId of new Set(done.runnerIds)) notifyRunner(runnerId);
      counters.placed.inc(done.runnerIds.length);
      this.isShort ||= done.isShort;
      this.hasMoreToFail ||= done.failed >= maxFailed;
      if (done.failed > 0) this.toSettle.push(executionId);
      if (done.runnerIds.length > 0)
        this.#logger.info({ execution: executionId, tasks: done.runnerIds.length }, 'tasks placed');
      return done;
    } catch (err) {
      this.isShort = true;
      this.#logger.warn({ err, execution: executionId }, 'tasks not placed; the next run tries again');
      return undefined;
    }
  }
}
