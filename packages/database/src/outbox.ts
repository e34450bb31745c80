import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './connect.ts';

export interface OutboxMessage {
  readonly topic: 'reconcile';
  readonly key: string;
  readonly trace?: string | undefined;
}

/** Leaves the work that follows a write beside it, in the same transaction. */
export async function enqueue(tx: DatabaseTransaction, { topic, key, trace }: OutboxMessage): Promise<void> {
  await tx
    .insertInto('outbox')
    .values({ topic, key, trace: trace ?? null })
    .execute();
}

/** Where the bell of the outbox is heard. */
export const outboxChannel = 'outbox';

const quietMs = 10;

/**
 * Tells the relays that rows wait. Rung by the writer after its transaction, not by a trigger inside it: a transaction that
 * notifies holds one lock of the whole cluster while it commits, so that all such commits would go one after the other.
 * However often it is rung, one notice leaves per moment. A lost notice only costs the time until the relay looks by itself.
 */
export function createOutboxBell(database: Database, onError: (error: unknown) => void = () => {}): () => void {
  let isRinging = false;
  const ring = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, quietMs).unref());
    // From here on a new row may come too late for this notice, so it rings again.
    isRinging = false;
    await sql`select pg_notify(${outboxChannel}, '')`.execute(database);
  };
  return () => {
    if (isRinging) return;
    isRinging = true;
    ring().catch(onError);
  };
}
