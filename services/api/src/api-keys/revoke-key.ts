import { requestErrors } from '@berth/contract';
import type { WriteCall } from '../http/call.ts';
import type { KeyOwner } from './record.ts';

/** In this process the key is refused at once, everywhere else within a second. */
export async function revokeKey(call: WriteCall, owner: KeyOwner, keyId: string): Promise<undefined> {
  const { tx, dependencies } = call;
  const { numDeletedRows } = await tx
    .deleteFrom('api_keys')
    .where('id', '=', keyId)
    .where((eb) => eb.and(owner))
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw requestErrors.not_found();
  call.target(`api-key/${keyId}`);
  call.afterCommit(() => dependencies.authenticator.forgetAll());
}
