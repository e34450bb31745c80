import type { DatabaseTransaction } from './connect.ts';
import { nilUuid } from './uuid.ts';

/** A message names its workspace, if it has one, because the relay shares its batches between workspaces. */
export type OutboxMessage = { readonly key: string; readonly trace?: string | undefined } & (
  | { readonly topic: 'reconcile' | 'removal'; readonly workspaceId: string }
  | { readonly topic: 'pool'; readonly workspaceId?: undefined }
);

/** Stores the work that follows a write in the write's own transaction. */
export async function enqueue(
  tx: DatabaseTransaction,
  { topic, key, workspaceId = nilUuid, trace }: OutboxMessage,
): Promise<void> {
  await tx
    .insertInto('outbox')
    .values({ topic, key, workspace_id: workspaceId, trace: trace ?? null })
    .execute();
}
