import type { Database } from '@berth/database';
import { sql } from 'kysely';

/**
 * Bytes of output that a workspace has written today, including dropped ones. The day is in UTC, by the database's
 * clock.
 */
export async function loggedToday(database: Database, workspaceId: string): Promise<number> {
  const row = await database
    .selectFrom('log_usage')
    .select('bytes')
    .where('workspace_id', '=', workspaceId)
    .where('day', '=', sql<string>`current_date`)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

export async function countLogBytes(database: Database, workspaceId: string, bytes: number): Promise<void> {
  await sql`
    insert into log_usage as usage (workspace_id, day, bytes) values (${workspaceId}, current_date, ${bytes})
    on conflict (workspace_id, day) do update set bytes = usage.bytes + excluded.bytes`.execute(database);
}
