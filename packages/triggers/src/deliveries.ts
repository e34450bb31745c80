// Callbacks as rows; the orchestrator delivers them.
import {
  type Database,
  type DatabaseTransaction,
  deliveriesChannel,
  type TriggerCallback,
  uuidv7,
} from '@berth/database';
import { sql } from 'kysely';

/** What ended, and the callback of its trigger. */
export interface NewDelivery {
  readonly workspaceId: string;
  readonly resourceUid: string;
  readonly triggerId: string;
  readonly of: { readonly executionId: string } | { readonly invocationId: string };
  readonly callback: TriggerCallback;
  readonly body: string;
}

/** False where it has one already: each end is told by one delivery, however often it is recorded. */
export async function insertDelivery(
  tx: DatabaseTransaction,
  { workspaceId, resourceUid, triggerId, of, callback, body }: NewDelivery,
): Promise<boolean> {
  const subject = 'executionId' in of ? { execution_id: of.executionId } : { invocation_id: of.invocationId };
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('deliveries')
    .values({
      id: uuidv7(),
      workspace_id: workspaceId,
      resource_uid: resourceUid,
      trigger_id: triggerId,
      ...subject,
      url: callback.url,
      host: URL.parse(callback.url)?.host ?? '',
      secret: callback.secret.$sealed,
      body,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

export interface ReplayedDelivery {
  readonly id: string;
  /** Undefined for any workspace and any budget. */
  readonly workspaceId?: string | undefined;
}

/** Makes an ended delivery due again, under the same id and with all its tries. */
export async function replayDelivery(
  database: Database,
  { id, workspaceId }: ReplayedDelivery,
): Promise<'replayed' | 'open' | 'missing'> {
  const { rows } = await sql<{ isEnded: boolean }>`
    with found as (
      select id, coalesce(delivered_at, given_up_at) is not null as is_ended from deliveries
      where id = ${id} and (${workspaceId ?? null}::uuid is null or workspace_id = ${workspaceId ?? null}::uuid) for update
    ), replayed as (
      update deliveries set attempts = 0, next_at = clock_timestamp(), claimed_until = null, delivered_at = null,
        given_up_at = null, last_status = null, last_error = null
      from found where deliveries.id = found.id and is_ended
    )
    select is_ended as "isEnded" from found`.execute(database);
  const [row] = rows;
  if (row === undefined) return 'missing';
  return row.isEnded ? 'replayed' : 'open';
}

/** Wakes the loops that deliver, after the transaction. */
export const notifyDeliveries = async (database: Database): Promise<void> => {
  await sql`select pg_notify(${deliveriesChannel}, '')`.execute(database);
};
