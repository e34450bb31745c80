import type { DatabaseTransaction } from './connect.ts';

export interface OutboxMessage {
  readonly topic: 'reconcile' | 'pool';
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
