import type { Database, Tables } from '@berth/database';
import type { Selectable } from 'kysely';

export const keyColumns = [
  'id',
  'user_id',
  'service_account_id',
  'name',
  'scopes',
  'created_at',
  'created_by',
  'expires_at',
  'last_used_at',
] as const;

type KeyRow = Pick<Selectable<Tables['api_keys']>, (typeof keyColumns)[number]>;

export type KeyOwner = { readonly user_id: string } | { readonly service_account_id: string };

export const renderKey = (row: KeyRow) => ({
  id: row.id,
  ...(row.name === null ? {} : { name: row.name }),
  ...(row.scopes === null ? {} : { scopes: row.scopes }),
  sub: row.user_id ?? row.service_account_id ?? '',
  sub_type: row.user_id === null ? 'service_account' : 'user',
  createdAt: row.created_at.toISOString(),
  createdBy: row.created_by,
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at.toISOString() }),
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
});

/** Lists keys newest first. Expired keys stay in the list, so that their owner sees why a program is refused. */
export async function listKeys(database: Database, owner: KeyOwner) {
  const rows = await database
    .selectFrom('api_keys')
    .select(keyColumns)
    .where((eb) => eb.and(owner))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(renderKey);
}
