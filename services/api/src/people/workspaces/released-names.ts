// The name of a deleted workspace is part of public addresses. For 30 days only the account that owned it may use it
// again.
import { type Database, releasedNameDays } from '@berth/database';
import { sql } from 'kysely';

/** The account that recently deleted a workspace of this name. */
export async function accountKeepingName(database: Database, name: string): Promise<string | undefined> {
  const row = await database
    .selectFrom('released_workspace_names')
    .select('account_id')
    .where('name', '=', name)
    .where(sql<boolean>`released_at > now() - make_interval(days => ${releasedNameDays})`)
    .executeTakeFirst();
  return row?.account_id;
}
