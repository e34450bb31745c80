import { requestErrors, Uuid } from '@berth/contract';
import type { Database, DatabaseTransaction, Tables } from '@berth/database';
import type { Selectable } from 'kysely';

export const serviceAccountColumns = ['client_id', 'name', 'description', 'role', 'created_at', 'updated_at'] as const;

type ServiceAccountRow = Pick<Selectable<Tables['service_accounts']>, (typeof serviceAccountColumns)[number]>;

export const renderServiceAccount = (row: ServiceAccountRow) => ({
  client_id: row.client_id,
  name: row.name,
  ...(row.description === null ? {} : { description: row.description }),
  role: row.role,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Client id from the path; text that is not a UUID cannot exist and is not looked up. */
export function clientIdOf(text: string): string {
  if (!Uuid.safeParse(text).success) throw requestErrors.not_found();
  return text;
}

/**
 * Requires a service account of this workspace; an account of another workspace gets the same response as a missing
 * one.
 */
export async function requireServiceAccount(
  database: Database | DatabaseTransaction,
  workspaceId: string,
  clientId: string,
): Promise<string> {
  const row = await database
    .selectFrom('service_accounts')
    .select('client_id')
    .where('client_id', '=', clientIdOf(clientId))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  return row.client_id;
}
