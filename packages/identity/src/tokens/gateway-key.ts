import { randomBytes } from 'node:crypto';
import type { Database } from '@berth/database';

const keyBytes = 32;

/**
 * Signing key of a purpose, shared by all processes that sign and check for it. The first process that asks for it
 * creates it. Gateways sign sticky cookies; the orchestrator signs the addresses of task arguments, and gateways check
 * them.
 */
export async function gatewayKey(database: Database, purpose: 'sticky' | 'task-data'): Promise<Buffer> {
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
