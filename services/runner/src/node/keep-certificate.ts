import { pause } from '@berth/concurrency';
import type { Logger } from '@berth/telemetry';
import { type Identity, needsRenewal, saveIdentity } from './identity.ts';
import type { NodeClient } from './node-client.ts';
import { renewCertificate } from './renew-certificate.ts';

const lookMs = 60 * 60 * 1_000;
const retryMs = 60_000;

export interface CertificateKeeping {
  readonly client: NodeClient;
  readonly stateFolder: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly onRenewed: (identity: Identity) => void;
  readonly everyMs?: number;
}

/**
 * Keeps the certificate renewed until the signal aborts. It is renewed with a third of its life left, so an api that
 * is away for days does no harm.
 */
export async function keepCertificate(first: Identity, keeping: CertificateKeeping): Promise<void> {
  const { client, stateFolder, logger, signal, onRenewed, everyMs = lookMs } = keeping;
  let identity = first;
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      if (needsRenewal(identity, Date.now())) {
        identity = await renewCertificate(client, identity);
        await saveIdentity(stateFolder, identity);
        client.use(identity);
        onRenewed(identity);
        logger.info('certificate of this runner renewed');
      }
    } catch (err) {
      waitMs = Math.min(everyMs, retryMs);
      if (!signal.aborted) logger.warn({ err }, 'certificate renewal failed; retrying');
    }
    await pause(waitMs, signal);
  }
}
