import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';

/** Removes previews with their hosts and tokens, and releases their counters and limits. */
export async function removePreviews(tx: DatabaseTransaction, uids: readonly string[]): Promise<void> {
  if (uids.length > 0) await sql`select remove_previews(${[...uids]}::uuid[])`.execute(tx);
}

/**
 * The names and quota of expired previews are free from the moment they expire; a write that needs either removes the
 * rows first.
 */
export async function removeEndedPreviews(tx: DatabaseTransaction, sandboxUid: string): Promise<void> {
  await sql`select remove_previews(array(
    select uid from resources where parent_uid = ${sandboxUid} and parent_uid <> '00000000-0000-0000-0000-000000000000'
      and kind = 'preview' and expires_at <= clock_timestamp() order by uid))`.execute(tx);
}
