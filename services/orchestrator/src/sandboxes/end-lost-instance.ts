import { type DatabaseTransaction, unendedInstance } from '@berth/database';
import { sql } from 'kysely';

/**
 * Ends an instance whose runner is away, and releases its reservation there. False when the runner is back or the
 * instance has ended. The runner's row is locked, so the runner cannot return in between.
 */
export async function endLostInstance(tx: DatabaseTransaction, id: string, message: string): Promise<boolean> {
  const runner = await tx
    .selectFrom('runners')
    .select('id')
    .where('id', '=', (build) => build.selectFrom('instances').select('runner_id').where('id', '=', id))
    .where('status', '=', 'lost')
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (runner === undefined) return false;
  const ended = await tx
    .updateTable('instances')
    .set({ state: 'lost', desired: 'gone', message, ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where(unendedInstance())
    .returning('reserved_mb')
    .executeTakeFirst();
  if (ended === undefined) return false;
  await tx
    .updateTable('runners')
    .set({ reserved_mb: sql<number>`reserved_mb - ${ended.reserved_mb}` })
    .where('id', '=', runner.id)
    .execute();
  return true;
}
