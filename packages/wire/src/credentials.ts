// Credentials of a gateway or an api towards runners: the node authority, and a short-lived certificate for a key that
// never leaves this process. It is renewed when a third of its life is left; connections do not wait for the renewal.
import { generateKeyPair, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import type { Logger } from '@berth/telemetry';
import { isDueForRenewal } from './certificate-life.ts';

export interface CredentialsOptions {
  /** The node authority in PEM. A peer without a certificate of this authority is not a runner. */
  readonly authorityPem: () => Promise<string>;
  /** Obtains a certificate for a public key (PEM) and the role of this process. */
  readonly certify: (publicKey: string, signal: AbortSignal) => Promise<string>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface ClientCertificate {
  /** Fingerprint of the certificate; changes with every renewal. */
  readonly id: string;
  readonly context: SecureContext;
}

export interface Credentials {
  /** Rejects when there is no valid certificate (none yet, or expired) and a new one cannot be obtained. */
  current(): Promise<ClientCertificate>;
  /** PEM; undefined before the first certificate. */
  readonly certificate: string | undefined;
  close(): void;
}

interface KnownCredentials extends ClientCertificate {
  readonly authority: string;
  readonly certificate: string;
  readonly endsAt: number;
}

const freshMs = 10_000;
/** Check interval, so that a process that opens no connection renews its certificate too. */
const checkMs = 60_000;
/** The runner picks the first: strong enough, and the cheapest on every processor with AES instructions. */
const ciphers = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';
const makeKeys = promisify(generateKeyPair);

export function createCredentials(options: CredentialsOptions): Credentials {
  const { authorityPem, certify, logger, now = Date.now } = options;
  const closing = new AbortController();
  let known: KnownCredentials | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<KnownCredentials> | undefined;

  async function read(): Promise<KnownCredentials> {
    try {
      const authority = await authorityPem();
      if (known?.authority !== authority || isDueForRenewal(known.certificate, now()))
        known = await obtain(authority, (publicKey) => certify(publicKey, closing.signal));
      return known;
    } finally {
      asking = undefined;
    }
  }

  /** At most one request at a time, shared by all connections that are opened meanwhile. */
  function ask(): Promise<KnownCredentials> {
    askedAt = performance.now();
    asking ??= read();
    return asking;
  }

  async function current(): Promise<KnownCredentials> {
    if (known === undefined || now() >= known.endsAt) return ask();
    if (performance.now() >= askedAt + freshMs)
      ask().catch((err: unknown) => {
        const event = 'ingress.credentials_failed';
        if (!closing.signal.aborted)
          logger.warn({ err, event }, 'renewal of the credentials for runners failed; using the current ones');
      });
    return known;
  }

  const checkTimer = setInterval(() => {
    if (known !== undefined) current().catch(() => {});
  }, checkMs).unref();
  return {
    current,
    get certificate() {
      return known?.certificate;
    },
    close() {
      clearInterval(checkTimer);
      closing.abort();
    },
  };
}

async function obtain(authority: string, certify: (publicKey: string) => Promise<string>): Promise<KnownCredentials> {
  const { privateKey, publicKey } = await makeKeys('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const certificate = await certify(publicKey);
  const { fingerprint256: id, validToDate } = new X509Certificate(certificate);
  const context = createSecureContext({
    ca: authority,
    key: privateKey,
    cert: certificate,
    minVersion: 'TLSv1.3',
    ciphers,
  });
  return { id, context, authority, certificate, endsAt: validToDate.getTime() };
}
