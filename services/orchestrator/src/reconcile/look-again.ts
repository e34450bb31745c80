// When a run wants to be followed by another without anyone saying so: messages to itself, for later.
import type { Applied } from './apply.ts';

export interface LookAgain {
  readonly delayMs: number;
  /** The same for all runs of one moment, so that many of them arm one timer. */
  readonly id: string;
}

const waitMs = 5_000;
/** Clocks do not run alike: a timer that fires too early would find nothing to do, and arm itself under an id that is used up. */
const slackMs = 50;
/** More than any timer is early. */
const farMs = 60_000;

export function timersFor(
  { isWaiting, lookAgainAt }: Pick<Applied, 'isWaiting' | 'lookAgainAt'>,
  uid: string,
  now: number,
): LookAgain[] {
  const moment = Math.floor(now / waitMs);
  const due = lookAgainAt.map((at) => ({
    delayMs: Math.max(0, at - now) + slackMs,
    // To the millisecond: two that are due in the same second are two. One that is far off is armed once, however often it
    // is looked at until then.
    id: at - now > farMs ? `due-${uid}-${at}` : `due-${uid}-${moment}-${at}`,
  }));
  return isWaiting ? [...due, { delayMs: waitMs + slackMs, id: `wait-${uid}-${moment}` }] : due;
}
