// The node listener's own certificate. It is made anew at two thirds of its life: an api that runs for longer than that would
// otherwise refuse every new connection of every runner. Connections that are open keep the certificate they began with.
import type { Server } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeServerName } from '@berth/contract';
import type { NodeAuthority } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import { isDueForRenewal } from '@berth/wire';

/** How often the certificate is looked at, also after a renewal that failed. */
const lookMs = 60 * 60 * 1_000;

export interface ListenerCertificate {
  /** PEM, without the authority's. */
  readonly certificate: string;
  /** What a TLS server takes. */
  readonly options: {
    readonly key: string;
    readonly cert: string;
    readonly ca: string;
    readonly minVersion: 'TLSv1.3';
  };
}

export async function issueListenerCertificate(authority: NodeAuthority): Promise<ListenerCertificate> {
  const { certificate, key } = await authority.issueServer(nodeServerName);
  return {
    certificate,
    options: {
      key,
      // With the authority behind it: a machine that joins knows only its fingerprint.
      cert: `${certificate}\n${authority.certificate}`,
      ca: authority.certificate,
      minVersion: 'TLSv1.3',
    },
  };
}

export interface ListenerCertificateKeeping {
  readonly server: Pick<Server, 'setSecureContext'>;
  readonly authority: NodeAuthority;
  readonly first: ListenerCertificate;
  readonly onRenewed: (renewed: ListenerCertificate) => void;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly everyMs?: number | undefined;
}

/** Until the signal. */
export async function keepListenerCertificate(keeping: ListenerCertificateKeeping): Promise<void> {
  const { server, authority, first, onRenewed, signal, logger, everyMs = lookMs } = keeping;
  let { certificate } = first;
  while (!signal.aborted) {
    try {
      if (isDueForRenewal(certificate, Date.now())) {
        const renewed = await issueListenerCertificate(authority);
        server.setSecureContext(renewed.options);
        certificate = renewed.certificate;
        onRenewed(renewed);
        logger.info({ event: 'node_listener.certificate' }, 'certificate of the node listener renewed');
      }
    } catch (err) {
      const event = 'node_listener.certificate_failed';
      logger.error(
        { err, event },
        'certificate of the node listener could not be renewed; tried again within the hour',
      );
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}
