// Ticks of a schedule. Pure: the time comes in as an argument.
import { type CronSchedule, nextTick, readCron } from '@berth/contract';

const minuteMs = 60_000;

/** The first tick after `nowMs`; undefined for a schedule that cannot be read or never fires. */
export function firstTick(schedule: string, nowMs: number): number | undefined {
  const parsed = scheduleOf(schedule);
  return parsed === undefined ? undefined : nextTick(parsed, nowMs);
}

/**
 * The newest tick until `nowMs`, where `dueMs` is a tick that is not later. After a downtime only this tick fires. The
 * search is binary, because a year has half a million ticks of a schedule that fires each minute.
 */
export function newestTick(schedule: string, dueMs: number, nowMs: number): number {
  const parsed = scheduleOf(schedule);
  if (parsed === undefined) return dueMs;
  // A tick lies after `low` and none lies after `high`; both are numbers of minutes.
  let low = Math.floor(dueMs / minuteMs) - 1;
  let high = Math.floor(nowMs / minuteMs);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((nextTick(parsed, middle * minuteMs) ?? Number.POSITIVE_INFINITY) <= nowMs) low = middle;
    else high = middle;
  }
  return high * minuteMs;
}

function scheduleOf(text: string): CronSchedule | undefined {
  const answer = readCron(text);
  return 'schedule' in answer ? answer.schedule : undefined;
}
