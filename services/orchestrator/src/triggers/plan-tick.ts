// What a run does with the schedules of a job. Pure.
import { firstTick, newestTick } from '@berth/jobs';
import type { Schedule } from './load-schedules.ts';

export interface TickPlan {
  readonly triggerId: string;
  /** The tick to handle; undefined when only the first tick has to be found. */
  readonly tickAt: number | undefined;
  /** Undefined when no further tick exists. */
  readonly nextAt: number | undefined;
}

/**
 * The next step for the schedules of a job, in the order of their due times; undefined when nothing is due. Of several
 * missed ticks only the newest fires.
 */
export function planTick([schedule]: readonly Schedule[], now: number): TickPlan | undefined {
  if (schedule === undefined) return undefined;
  const { triggerId, nextAt: dueAt } = schedule;
  if (dueAt !== undefined && dueAt > now) return undefined;
  const tickAt = dueAt === undefined ? undefined : newestTick(schedule.schedule, dueAt, now);
  return { triggerId, tickAt, nextAt: firstTick(schedule.schedule, now) };
}

/** Time of the next tick of any schedule. */
export function nextDue(schedules: readonly Schedule[]): number | undefined {
  const times = schedules.flatMap(({ nextAt }) => nextAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Names the tick, so that it starts at most one execution, whatever is killed and however often the run is repeated. */
export const tickMessageId = (triggerId: string, tickAt: number): string => `cron:${triggerId}:${minuteText(tickAt)}`;

/** For example `2026-05-01T04:00Z`. */
export const minuteText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;
