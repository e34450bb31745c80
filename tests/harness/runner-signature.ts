import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { formatRunnerProof, signedText } from '@berth/contract/guest';

export type SignedWish = { method?: string; path: string; body?: string; issuedAtMs?: number; instanceId?: string };

/** Signs calls as the runner does: the runner holds the private key, the guest the public one. */
export function createRunnerSigner(instanceId: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  let last = 0;
  const nextMs = () => {
    last = Math.max(last + 1, Date.now());
    return last;
  };
  return {
    variables: {
      SANDBOX_CONTROL_KEY: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      SANDBOX_INSTANCE_ID: instanceId,
    },
    authorization({ method = 'GET', path, body = '', issuedAtMs = nextMs(), instanceId: other }: SignedWish): string {
      const nonce = randomBytes(12).toString('base64url');
      const bodySha256 = createHash('sha256').update(body).digest('hex');
      const text = signedText({ instanceId: other ?? instanceId, method, path, bodySha256, issuedAtMs, nonce });
      return formatRunnerProof({
        issuedAtMs,
        nonce,
        signature: sign(null, Buffer.from(text), privateKey).toString('base64url'),
      });
    },
    /** Signs a request and sends it exactly as signed. */
    send(url: string, { method = 'GET', path, body, ...rest }: SignedWish): Promise<Response> {
      const authorization = this.authorization({ method, path, ...(body === undefined ? {} : { body }), ...rest });
      return fetch(`${url}${path}`, { method, headers: { authorization }, ...(body === undefined ? {} : { body }) });
    },
  };
}
