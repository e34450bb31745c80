// Secret that authenticates the api's calls to a runner of the previous release; newer runners check a certificate. It
// is derived from the session's secret and a key that only the api can open, and never stored: a reader of the
// database, such as a gateway, cannot make these calls.
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
