import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { settlesWithin } from './settles-within.ts';

/** Without an answer for this long the database counts as unavailable, if a cached answer can be used instead. */
const timeoutMs = 1_000;
/** Without a cached answer, a slow answer is better than none: the first call after a create may need it. */
const timeoutWithoutStandInMs = 5_000;

/** Rejects when the answer takes too long: a connection whose other end vanished stays silent for minutes. */
export async function answerInTime<T>(answer: Promise<T>, { hasStandIn }: { hasStandIn: boolean }): Promise<T> {
  const ms = hasStandIn ? timeoutMs : timeoutWithoutStandInMs;
  if ((await settlesWithin(ms, answer)) || (await hasArrived(answer))) return answer;
  answer.catch(() => {});
  throw new Error(`No answer within ${ms} ms.`);
}

/**
 * In an overloaded process, timers fire before answers that have already arrived are read. Without this second check
 * the process would mistake its own load for an unavailable database, and accept revoked keys.
 */
async function hasArrived(answer: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  answer.then(settled, settled);
  // The query may be sent in the first turn of the event loop; its answer is then read in the second.
  await eventLoopTurn();
  await eventLoopTurn();
  return isSettled;
}
