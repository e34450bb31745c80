// Finds sandboxes by the VPC or egress gateway they use.
import { type Database, liveResource } from '@berth/database';
import { sql } from 'kysely';

interface Network {
  readonly vpc: string;
  readonly gateway?: string;
}

/** Name of one sandbox in the VPC (and behind the gateway, when given); undefined when there is none. */
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
    .where(liveResource())
    .where(sql<boolean>`spec->>'vpc' = ${vpc}`)
    .$if(gateway !== undefined, (query) =>
      query.where(sql<boolean>`spec->'network'->'egress'->>'gateway' = ${gateway ?? ''}`),
    )
    .limit(1)
    .executeTakeFirst();
  return found?.name;
}
