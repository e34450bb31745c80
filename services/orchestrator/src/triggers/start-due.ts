// One run for one job: handles its due ticks, each in a transaction that holds the job's row. A run that is killed leaves
// the ticks it has not committed to the next one.
import { type Clock, type DatabaseTransaction, databaseClock } from '@berth/database';
import { cronTriggersOf, lockJob } from '@berth/jobs';
import type { Dependencies } from '../run/dependencies.ts';
import { type Timer, timersFor } from '../run/timers.ts';
import { changeSchedule, loadSchedules } from './load-schedules.ts';
import { nextDue, planTick } from './plan-tick.ts';
import { startTick, type TickOutcome } from './start-tick.ts';

interface HandledTick {
  readonly triggerId: string;
  readonly tickAt: number;
  readonly outcome: TickOutcome;
}

export interface DueRun {
  readonly ticks: readonly HandledTick[];
  readonly timers: readonly Timer[];
}

interface Step {
  /** Nothing is due any more. */
  readonly isDone: boolean;
  readonly tick: HandledTick | undefined;
  /** Time of the next tick. */
  readonly dueAt: number | undefined;
  readonly now: number;
}

type StartDependencies = Pick<Dependencies, 'database' | 'limits' | 'random'>;

/** A job has at most 100 triggers. What is due beyond that is left to the timer. */
const maxSteps = 200;

export async function startDue(
  dependencies: StartDependencies,
  jobUid: string,
  clock: Clock = databaseClock,
): Promise<DueRun> {
  const ticks: HandledTick[] = [];
  for (let steps = 1; ; steps += 1) {
    const step = await dependencies.database.transaction().execute((tx) => takeStep(tx, dependencies, jobUid, clock));
    if (step === undefined) return { ticks, timers: [] };
    if (step.tick !== undefined) ticks.push(step.tick);
    if (step.isDone || steps === maxSteps) {
      const dueAt = step.dueAt === undefined ? [] : [step.dueAt];
      return { ticks, timers: timersFor({ hasUnplaced: false, dueAt }, jobUid, step.now) };
    }
  }
}

/** Undefined when the job is gone. */
async function takeStep(
  tx: DatabaseTransaction,
  dependencies: StartDependencies,
  jobUid: string,
  clock: Clock,
): Promise<Step | undefined> {
  // Excludes other runs and writes of the job, but not starts by request, which hold its key while they insert tasks.
  const job = await lockJob(tx, jobUid, 'no key update');
  if (job === undefined) return undefined;
  const now = await clock(tx);
  const schedules = await loadSchedules(tx, jobUid);
  const dueAt = nextDue(schedules);
  const plan = planTick(schedules, now);
  if (plan === undefined) return { isDone: true, tick: undefined, dueAt, now };
  const { triggerId, tickAt, nextAt } = plan;
  const trigger = cronTriggersOf(job.spec).find(({ id }) => id === triggerId);
  await changeSchedule(tx, jobUid, triggerId, { nextAt: trigger === undefined ? undefined : nextAt, lastAt: tickAt });
  if (trigger === undefined || tickAt === undefined) return { isDone: false, tick: undefined, dueAt, now };
  // Last, because it takes the counters that all writers of the workspace share.
  const outcome = await startTick(tx, dependencies, job, trigger, tickAt);
  return { isDone: false, tick: { triggerId, tickAt, outcome }, dueAt, now };
}
