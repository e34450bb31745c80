import type { DatabaseTransaction } from '@berth/database';
import type { ResourceRow } from './lock-resource.ts';

export interface NewestEvent {
  readonly type: string;
  readonly message?: string | undefined;
}

/** Reads only events since the resource was created, so that old partitions are skipped. */
export async function loadNewestEvent(
  tx: DatabaseTransaction,
  { uid, created_at }: Pick<ResourceRow, 'uid' | 'created_at'>,
): Promise<NewestEvent | undefined> {
  const event = await tx
    .selectFrom('resource_events')
    .select(['type', 'message'])
    .where('resource_uid', '=', uid)
    .where('time', '>=', created_at)
    .orderBy('time', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return event === undefined ? undefined : { type: event.type, message: event.message ?? undefined };
}
