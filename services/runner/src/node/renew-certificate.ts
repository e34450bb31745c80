import { nodePaths, RenewAnswer } from '@berth/contract/node';
import { ApiRefusal } from './api-refusal.ts';
import { makeCertificateRequest } from './certificate-request.ts';
import type { Identity } from './identity.ts';
import type { NodeClient } from './node-client.ts';

/** Each renewal creates a new key, so that the key in an old backup of the machine becomes worthless after a while. */
export async function renewCertificate(client: NodeClient, identity: Identity): Promise<Identity> {
  const { key, request } = await makeCertificateRequest(identity.runnerId);
  const answer = await client.post(nodePaths.renew, { request });
  if (answer.status !== 200) throw new ApiRefusal(answer);
  const { certificate, authority } = RenewAnswer.parse(answer.body);
  return { runnerId: identity.runnerId, key, certificate, authority };
}
