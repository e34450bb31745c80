import { requestErrors } from '@berth/contract';
import { sql } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import type { KeyOwner } from './record.ts';

/**
 * Deletes a key and all keys created with it, except the calling key and the keys created with that one: to rotate a
 * key, its owner creates the new key with the old one and then deletes the old one with the new one. This process
 * refuses the deleted keys at once, other processes within a second.
 */
export async function revokeKey(call: WriteCall, owner: KeyOwner, keyId: string): Promise<undefined> {
  const { tx, dependencies, principal } = call;
  await keepCaller(call, keyId, principal.keyId);
  const ended = await keysBelow(call, keyId);
  const { numDeletedRows } = await tx
    .deleteFrom('api_keys')
    .where('id', '=', keyId)
    .where((eb) => eb.and(owner))
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw requestErrors.not_found();
  call.target(`api-key/${keyId}`);
  call.afterCommit(() => dependencies.authenticator.forget(({ keyId: id }) => ended.has(id)));
}

/**
 * Ids of the key and of all keys created with it, directly or indirectly; the foreign key deletes them together with
 * the key.
 */
async function keysBelow({ tx }: WriteCall, keyId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    with recursive below as (
      select id from api_keys where id = ${keyId}
      union select child.id from below join api_keys child on child.parent_id = below.id
    )
    select id from below`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Detaches the calling key from the deleted key, so that the cascade does not delete it. */
async function keepCaller({ tx }: WriteCall, keyId: string, callerId: string): Promise<void> {
  if (callerId === keyId) return;
  await sql`
    with recursive above as (
      select id, parent_id from api_keys where id = ${callerId}
      union select parent.id, parent.parent_id from above join api_keys parent on parent.id = above.parent_id
    )
    update api_keys set parent_id = null
    where id = ${callerId} and exists (select from above where id = ${keyId})`.execute(tx);
}
