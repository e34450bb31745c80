import { JoinAnswer, nodePaths } from '@berth/contract/node';
import { ApiRefusal } from './api-refusal.ts';
import { makeCertificateRequest } from './certificate-request.ts';
import type { Identity } from './identity.ts';
import { parseJoinToken } from './join-token.ts';
import { createNodeClient } from './node-client.ts';
import { fetchAuthority } from './trusted-authority.ts';

export interface Joining {
  readonly apiUrl: string;
  readonly joinToken: string;
  readonly name: string;
}

/**
 * Joins the deployment, which uses up the token. The secret in the token is sent only to a listener whose authority
 * has the token's fingerprint.
 */
export async function joinDeployment({ apiUrl, joinToken, name }: Joining): Promise<Identity> {
  const token = parseJoinToken(joinToken);
  const authority = await fetchAuthority(apiUrl, token.fingerprint);
  const { key, request } = await makeCertificateRequest(name);
  const client = createNodeClient(apiUrl, { authority });
  try {
    const answer = await client.post(nodePaths.join, { token: token.text, name, request });
    if (answer.status !== 200) throw new ApiRefusal(answer);
    const { runnerId, certificate } = JoinAnswer.parse(answer.body);
    // Keeps the authority that the token identifies; an authority named in the answer is ignored.
    return { runnerId, key, certificate, authority };
  } finally {
    client.close();
  }
}
