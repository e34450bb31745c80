import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Rows wait in the outbox. */
export const outboxChannel = 'outbox';
/** Instances of the runner whose id is said have changed. */
export const instancesChannel = 'instances';

/** What requests are routed by has changed for the resource whose uid is said; for everything when nothing is said. */
export const routesChannel = 'routes';

const quietMs = 10;

/**
 * Tells others that rows wait. Rung by the writer after its transaction, not by a trigger inside it: a transaction that
 * notifies holds one lock of the whole cluster while it commits, so that all such commits would go one after the other.
 * The first ring leaves at once; those of the next moment leave together. A lost notice only costs the time until whoever
 * listens looks by itself.
 */
export function createBell(
  database: Database,
  channel: string,
  onError: (error: unknown) => void = () => {},
): (word?: string) => void {
  const waiting = new Set<string>();
  let isQuiet = false;
  const leave = (): void => {
    const words = [...waiting];
    waiting.clear();
    isQuiet = true;
    setTimeout(() => {
      isQuiet = false;
      if (waiting.size > 0) leave();
    }, quietMs).unref();
    sql`select pg_notify(${channel}, word) from unnest(${words}::text[]) as word`.execute(database).catch(onError);
  };
  return (word = '') => {
    waiting.add(word);
    if (!isQuiet) leave();
  };
}
