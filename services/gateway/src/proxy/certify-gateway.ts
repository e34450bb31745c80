// How this gateway gets the certificate that runners know it by. It has no master key; what it has is the right to write to the
// database, and an api, which has the key, looks there.
import { type Database, uuidv7 } from '@berth/database';
import { pause } from '@berth/pace';

const patienceMs = 15_000;
/** An api looks once a second. */
const lookMs = 100;

export async function certifyGateway(database: Database, publicKey: string, signal: AbortSignal): Promise<string> {
  const id = uuidv7();
  await database.insertInto('gateway_certificates').values({ id, public_key: publicKey }).execute();
  try {
    for (let waitedMs = 0; waitedMs < patienceMs && !signal.aborted; waitedMs += lookMs) {
      const { certificate } = await database
        .selectFrom('gateway_certificates')
        .select('certificate')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (certificate !== null) return certificate;
      await pause(lookMs, signal);
    }
    throw new Error('No api has certified this gateway. Start one with its node listener (api.node.enabled).');
  } finally {
    await database.deleteFrom('gateway_certificates').where('id', '=', id).execute();
  }
}
