import type { DatabaseTransaction } from './connect.ts';
import { nilUuid } from './uuid.ts';

/** The relay gives every workspace its turn, so each message says whose it is. */
export type OutboxMessage = { readonly key: string; readonly trace?: string | undefined } & (
  | { readonly topic: 'reconcile' | 'removal'; readonly workspaceId: string }
  | { readonly topic: 'pool'; readonly workspaceId?: undefined }
);

/** Leaves the work that follows a write beside it, in the same transaction. */
export async function enqueue(
  tx: DatabaseTransaction,
  { topic, key, workspaceId = nilUuid, trace }: OutboxMessage,
): Promise<void> {
  await tx
    .insertInto('outbox')
    .values({ topic, key, workspace_id: workspaceId, trace: trace ?? null })
    .execute();
}
