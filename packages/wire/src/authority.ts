import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from '@berth/telemetry';

export interface AuthorityOptions {
  /** Who does not show a certificate of this authority is not a runner. */
  readonly load: () => Promise<string>;
  readonly logger: Logger;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

const freshMs = 10_000;
/** The runner takes the first: strong enough, and the cheapest for every processor with instructions for AES. */
const ciphers = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

/** The node authority as it was last read. It hardly ever changes, so nobody waits for a database that is away. */
export function createAuthority({ load, logger, now = () => performance.now() }: AuthorityOptions) {
  let known: { readonly pem: string; readonly context: SecureContext } | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<SecureContext> | undefined;

  async function read(): Promise<SecureContext> {
    try {
      const pem = await load();
      if (known?.pem !== pem)
        known = { pem, context: createSecureContext({ ca: pem, minVersion: 'TLSv1.3', ciphers }) };
      return known.context;
    } finally {
      asking = undefined;
    }
  }

  /** One question at a time, however many connections are opened meanwhile. */
  function ask(): Promise<SecureContext> {
    askedAt = now();
    asking ??= read();
    return asking;
  }

  return async (): Promise<SecureContext> => {
    if (known === undefined) return ask();
    if (now() >= askedAt + freshMs)
      ask().catch((err: unknown) =>
        logger.warn({ err }, 'the node authority could not be read anew; the known one is used'),
      );
    return known.context;
  };
}
