// A machine that joins knows only the fingerprint of the authority to trust. The listener sends the authority's
// certificate behind its own; it is taken from there, and trusted only because of its fingerprint.
import { createHash } from 'node:crypto';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { nodeServerName } from '@berth/contract/node';

const timeoutMs = 10_000;

/**
 * PEM of the authority with that fingerprint. The caller's next connection verifies the listener and its name with
 * it.
 */
export async function fetchAuthority(apiUrl: string, fingerprint: string): Promise<string> {
  const chain = await presentedChain(apiUrl);
  const authority = chain.find(({ raw }) => createHash('sha256').update(raw).digest('hex') === fingerprint);
  if (authority !== undefined) return pemOf(authority.raw);
  throw new Error(
    `The listener at ${apiUrl} does not belong to the deployment that made the join token. ` +
      'Check runner.apiUrl, or make a new token there: berth-server create-join-token.',
  );
}

async function presentedChain(apiUrl: string): Promise<readonly DetailedPeerCertificate[]> {
  const { hostname, port } = new URL(apiUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const leaf = await new Promise<DetailedPeerCertificate>((resolve, reject) => {
    // Certificates need no verification here, because nothing is sent on this connection: they are only compared with
    // the fingerprint.
    const socket = connect({ host, port: Number(port || 443), servername: nodeServerName, rejectUnauthorized: false });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`${apiUrl} did not answer.`)));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate(true));
      socket.destroy();
    });
  });
  const chain: DetailedPeerCertificate[] = [];
  // The last certificate names itself as its issuer.
  for (let next = leaf; next?.raw !== undefined && !chain.includes(next); next = next.issuerCertificate) {
    chain.push(next);
  }
  return chain;
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
