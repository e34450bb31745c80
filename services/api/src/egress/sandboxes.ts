// Sandboxes and the networks they leave through.
import type { Database } from '@berth/database';
import { sql } from 'kysely';

interface Network {
  readonly vpc: string;
  readonly gateway?: string;
}

/** The name of one sandbox there, if any. */
export async function findSandboxIn(
  database: Database,
  workspaceId: string,
  { vpc, gateway }: Network,
): Promise<string | undefined> {
  const found = await database
    .selectFrom('resources')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'sandbox')
    .where('terminated_at', 'is', null)
    .where(sql<boolean>`spec->>'vpc' = ${vpc}`)
    .$if(gateway !== undefined, (query) =>
      query.where(sql<boolean>`spec->'network'->'egress'->>'gateway' = ${gateway ?? ''}`),
    )
    .limit(1)
    .executeTakeFirst();
  return found?.name;
}
