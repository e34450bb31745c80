import { within } from '@berth/pace';

/** Silent for this long, the database counts as away: where something is known that stands in for its answer, nobody need wait longer. */
const patienceMs = 1_000;
/** Where nothing is, a slow answer is worth more than none: it may be asked for by the first call after a create. */
const strangerPatienceMs = 5_000;

/** Fails where it would not end: a connection whose other side vanished stays silent for minutes. */
export async function answerInTime<T>(answer: Promise<T>, { hasStandIn }: { hasStandIn: boolean }): Promise<T> {
  const ms = hasStandIn ? patienceMs : strangerPatienceMs;
  if (await within(ms, answer)) return answer;
  answer.catch(() => {});
  throw new Error(`No answer within ${ms} ms.`);
}
