import type { DatabaseTransaction } from './connect.ts';
import { nilUuid } from './uuid.ts';

/**
 * Topics of the outbox; each is the name of the handler that its messages go to. `@berth/durable` declares the messages.
 * Statements that insert several rows at once write a topic as `sql.lit(outboxTopics.reconcile)`.
 */
export const outboxTopics = {
  reconcile: 'reconcile',
  pool: 'pool',
  removal: 'removal',
  execution: 'execution',
  dispatch: 'dispatch',
  cron: 'cron',
} as const;

/** Keys of topics that have only one: a run of `dispatch` places the tasks of the whole deployment. */
export const outboxKeys = { dispatch: 'deployment' } as const;

type TopicOfWorkspace = (typeof outboxTopics)['reconcile' | 'removal' | 'execution' | 'cron'];
type TopicOfDeployment = (typeof outboxTopics)['pool' | 'dispatch'];

/** A message names its workspace, if it has one, because the relay shares its batches between workspaces. */
export type OutboxMessage = { readonly key: string; readonly trace?: string | undefined } & (
  | { readonly topic: TopicOfWorkspace; readonly workspaceId: string }
  | { readonly topic: TopicOfDeployment; readonly workspaceId?: undefined }
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
