// Timers: delayed messages of a run to itself, for work that falls due without any other message.
import type { Applied } from './reconciler.ts';

export interface Timer {
  readonly delayMs: number;
  /** Deduplication id. Runs of the same moment use the same id, so that many of them arm one timer. */
  readonly id: string;
}

const waitMs = 5_000;
/**
 * Clocks differ: a timer that fires too early would find nothing to do, and re-arm itself under an id that is used up.
 */
const slackMs = 50;
/** More than any timer can fire early. */
const farMs = 60_000;

export function timersFor(
  { hasUnplaced, dueAt }: Pick<Applied, 'hasUnplaced' | 'dueAt'>,
  uid: string,
  now: number,
): Timer[] {
  const moment = Math.floor(now / waitMs);
  const due = dueAt.map((at) => ({
    delayMs: Math.max(0, at - now) + slackMs,
    // The id contains the millisecond, so that two timers due in the same second stay two. A timer far in the future is
    // armed once, however often the resource is reconciled until then.
    id: at - now > farMs ? `due-${uid}-${at}` : `due-${uid}-${moment}-${at}`,
  }));
  return hasUnplaced ? [...due, { delayMs: waitMs + slackMs, id: `wait-${uid}-${moment}` }] : due;
}
