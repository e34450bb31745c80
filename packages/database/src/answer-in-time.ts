import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { within } from '@berth/pace';

/** Silent for this long, the database counts as away: where something is known that stands in for its answer, nobody need wait longer. */
const patienceMs = 1_000;
/** Where nothing is, a slow answer is worth more than none: it may be asked for by the first call after a create. */
const strangerPatienceMs = 5_000;

/** Fails where it would not end: a connection whose other side vanished stays silent for minutes. */
export async function answerInTime<T>(answer: Promise<T>, { hasStandIn }: { hasStandIn: boolean }): Promise<T> {
  const ms = hasStandIn ? patienceMs : strangerPatienceMs;
  if ((await within(ms, answer)) || (await hasArrived(answer))) return answer;
  answer.catch(() => {});
  throw new Error(`No answer within ${ms} ms.`);
}

/**
 * A process that is behind sees its timers end before it reads what the database sent meanwhile. Without another look it would take
 * its own load for a database that is away, and serve revoked keys.
 */
async function hasArrived(answer: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  answer.then(settled, settled);
  // The question may be sent in the first turn, and its answer is then read in the second.
  await turnOfTheEventLoop();
  await turnOfTheEventLoop();
  return isSettled;
}
