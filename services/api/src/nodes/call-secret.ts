// The secret by which a runner of the release before knows the api's own calls; others know them by certificate. It is computed from
// the session's secret and a key that only the api opens, and stored nowhere: whoever reads the database, as gateways do, cannot make
// such calls.
import { createHmac } from 'node:crypto';
import type { Database } from '@berth/database';
import type { Keyring } from '@berth/identity';

interface Keys {
  readonly database: Database;
  readonly keyring: Keyring;
}

export async function callSecretOf({ database, keyring }: Keys, ingressSecret: string): Promise<string> {
  const key = await keyring.deploymentKey(database, 'runner-calls');
  return createHmac('sha256', key).update(ingressSecret).digest('base64url');
}
