import { Heartbeat } from '@berth/contract/node';
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import type { z } from 'zod';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';
import { recordReturn } from './record-return.ts';

export async function recordHeartbeat(context: NodeContext, runnerId: string, body: unknown): Promise<void> {
  const { database, dependencies } = context;
  const beat = Heartbeat.parse(body);
  if (await recordIf(database, 'up', runnerId, beat)) return;
  // The runner was marked lost although its stream is open, or the heartbeat belongs to an older session.
  const isBack = await database.transaction().execute(async (tx) => {
    if (await recordIf(tx, 'up', runnerId, beat)) return false;
    if (!(await recordIf(tx, 'lost', runnerId, beat))) throw nodeErrors.session_over();
    await recordReturn(tx, runnerId);
    return true;
  });
  if (isBack) dependencies.notifyOutbox();
}

async function recordIf(
  database: Database,
  status: 'up' | 'lost',
  runnerId: string,
  { session, freeMemoryMb, freeDiskPercent, isPressed }: z.output<typeof Heartbeat>,
): Promise<boolean> {
  const seen = await database
    .updateTable('runners')
    .set({
      status: 'up',
      last_seen_at: sql<Date>`clock_timestamp()`,
      free_memory_mb: freeMemoryMb,
      free_disk_percent: freeDiskPercent,
      is_pressed: isPressed,
    })
    .where('id', '=', runnerId)
    .where('session', '=', session)
    .where('status', '=', status)
    .returning('id')
    .executeTakeFirst();
  return seen !== undefined;
}
