import { within } from '@berth/pace';

/** A database that has not answered for this long counts as away: a connection can stay silent for minutes. */
const patienceMs = 1_000;

/** Fails where it would not end. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  if (await within(patienceMs, work)) return work;
  work.catch(() => {});
  throw new Error(`No answer within ${patienceMs} ms.`);
}
