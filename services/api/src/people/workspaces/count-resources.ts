import { countedResources } from '@berth/contract';
import type { Database } from '@berth/database';
import { sql } from 'kysely';

type Counted = (typeof countedResources)[number];

/** Value of the `kind` column for each count; service accounts are not a kind and have their own table. */
const kindOf: Readonly<Record<Exclude<Counted, 'serviceaccounts'>, string>> = {
  agents: 'agent',
  functions: 'function',
  models: 'model',
  sandboxes: 'sandbox',
  policies: 'policy',
  jobs: 'job',
  volumes: 'volume',
  drives: 'drive',
  volumetemplates: 'volumetemplate',
  integrationconnections: 'integrationconnection',
  previews: 'preview',
  customdomains: 'customdomain',
  images: 'image',
};

export async function countResources(database: Database, workspaceId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ kind: string; live: number }>`
    select kind, sum(live)::bigint as live from resource_counts where workspace_id = ${workspaceId} group by kind
    union all
    select 'service account', count(*) from service_accounts where workspace_id = ${workspaceId}`.execute(database);
  const live = (kind: string): number => rows.find((row) => row.kind === kind)?.live ?? 0;
  return Object.fromEntries(
    countedResources.map((name) => [name, live(name === 'serviceaccounts' ? 'service account' : kindOf[name])]),
  );
}
