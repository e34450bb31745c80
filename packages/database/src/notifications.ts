import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Notification: rows wait in the outbox. */
export const outboxChannel = 'outbox';
/** Notification: instances of a runner have changed. The payload is the runner's id. */
export const instancesChannel = 'instances';

/**
 * Notification: routing data of a resource has changed. The payload is the resource's uid, or empty for all resources.
 */
export const routesChannel = 'routes';

/** Notification: callbacks wait for their delivery. */
export const deliveriesChannel = 'deliveries';

const pauseMs = 10;

/**
 * Sends notifications on a PostgreSQL channel. The writer calls it after its transaction; a trigger inside would make
 * the transaction hold a cluster-wide lock while it commits, so that all such commits would run one after the other.
 * The first notification leaves at once; those of the next 10 ms leave together. A lost notification only costs the
 * time until the listener's next poll.
 */
export function createNotifier(
  database: Database,
  channel: string,
  onError: (error: unknown) => void = () => {},
): (payload?: string) => void {
  const waiting = new Set<string>();
  let isPaused = false;
  const sendWaiting = (): void => {
    const payloads = [...waiting];
    waiting.clear();
    isPaused = true;
    setTimeout(() => {
      isPaused = false;
      if (waiting.size > 0) sendWaiting();
    }, pauseMs).unref();
    sql`select pg_notify(${channel}, word) from unnest(${payloads}::text[]) as word`.execute(database).catch(onError);
  };
  return (payload = '') => {
    waiting.add(payload);
    if (!isPaused) sendWaiting();
  };
}
