// Certificate of the node listener. It is renewed after two thirds of its lifetime: otherwise an api that runs longer
// than that would fail every new connection of every runner. Open connections keep the certificate they started with.
import type { Server } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeServerName } from '@berth/contract/node';
import type { NodeAuthority } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import { isDueForRenewal } from '@berth/wire';

/** Interval of the renewal check, also after a failed renewal. */
const checkMs = 60 * 60 * 1_000;

export interface ListenerCertificate {
  /** Leaf certificate in PEM, without the authority's certificate. */
  readonly certificate: string;
  /** Options for a TLS server. */
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
      // Includes the authority's certificate, because a joining machine knows only its fingerprint.
      cert: `${certificate}\n${authority.certificate}`,
      ca: authority.certificate,
      minVersion: 'TLSv1.3',
    },
  };
}

export interface CertificateRenewal {
  readonly server: Pick<Server, 'setSecureContext'>;
  readonly authority: NodeAuthority;
  readonly first: ListenerCertificate;
  readonly onRenewed: (renewed: ListenerCertificate) => void;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly everyMs?: number | undefined;
}

/** Renews the certificate when due, until the signal aborts. */
export async function renewListenerCertificate(renewal: CertificateRenewal): Promise<void> {
  const { server, authority, first, onRenewed, signal, logger, everyMs = checkMs } = renewal;
  let { certificate } = first;
  while (!signal.aborted) {
    try {
      if (isDueForRenewal(certificate, Date.now())) {
        const renewed = await issueListenerCertificate(authority);
        server.setSecureContext(renewed.options);
        certificate = renewed.certificate;
        onRenewed(renewed);
        logger.info({ event: 'node_listener.certificate' }, 'node listener certificate renewed');
      }
    } catch (err) {
      const event = 'node_listener.certificate_failed';
      logger.error({ err, event }, 'node listener certificate not renewed; retrying within the hour');
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}
