import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';

/** Tasks that one run fails; more are failed by the next runs. */
export const maxFailed = 1_000;

/**
 * Fails tasks that no runner could ever start, instead of letting them wait without an end. Returns their number. The
 * caller holds the execution's row, and sends the execution to its handler, which ends it.
 */
export async function failWaiting(
  tx: DatabaseTransaction,
  executionId: string,
  reason: string,
  message: string,
): Promise<number> {
  const done = await sql`
    update tasks set status = 'failed', reason = ${reason}, message = ${message}, not_before = null,
      updated_at = clock_timestamp(), completed_at = clock_timestamp()
    where execution_id = ${executionId} and index = any(array(
      select index from tasks where execution_id = ${executionId} and status = 'pending'
      order by index limit ${maxFailed}))`.execute(tx);
  const failed = Number(done.numAffectedRows ?? 0);
  await tx
    .updateTable('executions')
    .set({
      failed: sql<number>`failed + ${failed}`,
      updated_at: sql<Date>`clock_timestamp()`,
      generation: sql<number>`generation + 1`,
    })
    .where('id', '=', executionId)
    .execute();
  return failed;
}
