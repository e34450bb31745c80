// Obtains the certificate by which runners recognise this gateway. The gateway has no master key, only write access to
// the database. An api has the key, finds the request there and signs it.

import { pause } from '@berth/concurrency';
import { type Database, uuidv7 } from '@berth/database';

const maxWaitMs = 15_000;
/** Poll interval. An api looks for requests once a second. */
const pollMs = 100;

export async function certifyGateway(database: Database, publicKey: string, signal: AbortSignal): Promise<string> {
  const id = uuidv7();
  await database.insertInto('gateway_certificates').values({ id, public_key: publicKey }).execute();
  try {
    for (let waitedMs = 0; waitedMs < maxWaitMs && !signal.aborted; waitedMs += pollMs) {
      const { certificate } = await database
        .selectFrom('gateway_certificates')
        .select('certificate')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (certificate !== null) return certificate;
      await pause(pollMs, signal);
    }
    throw new Error('No api has certified this gateway. Start one with its node listener (api.node.enabled).');
  } finally {
    await database.deleteFrom('gateway_certificates').where('id', '=', id).execute();
  }
}
