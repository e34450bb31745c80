import { Heartbeat } from '@berth/contract';
import { sql } from 'kysely';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';

export async function recordHeartbeat({ database }: NodeContext, runnerId: string, body: unknown): Promise<void> {
  const { session, freeMemoryMb, freeDiskPercent } = Heartbeat.parse(body);
  const seen = await database
    .updateTable('runners')
    .set({
      status: 'up',
      last_seen_at: sql<Date>`clock_timestamp()`,
      free_memory_mb: freeMemoryMb,
      free_disk_percent: freeDiskPercent,
    })
    .where('id', '=', runnerId)
    .where('session', '=', session)
    .returning('id')
    .executeTakeFirst();
  if (seen === undefined) throw nodeErrors.session_over();
}
