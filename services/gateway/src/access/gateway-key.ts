import { randomBytes } from 'node:crypto';
import type { Database } from '@berth/database';

const keyBytes = 32;

/** Signing key shared by all gateways. The first gateway that asks for it creates it. */
export async function gatewayKey(database: Database, purpose: 'sticky'): Promise<Buffer> {
  await database
    .insertInto('gateway_keys')
    .values({ purpose, secret: randomBytes(keyBytes) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { secret } = await database
    .selectFrom('gateway_keys')
    .select('secret')
    .where('purpose', '=', purpose)
    .executeTakeFirstOrThrow();
  return secret;
}
