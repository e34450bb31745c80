// Listener for the api and for gateways of other machines. TLS is wrapped around every connection by hand, not by a
// TLS server, so that the time and the number of handshakes are bounded together with what follows them. `rightsOf`
// judges the certificate.
import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from './ingress-messages.ts';
import { listen } from './listen.ts';
import { type LineTools, serveLine } from './serve-line.ts';

export interface TunnelListener {
  readonly port: number;
  /** New connections use this certificate; open ones continue. */
  use(certificate: Certificate): void;
  /** Accepts nothing more. */
  close(): void;
}

export interface TunnelListenerOptions extends Omit<LineTools, 'authority'> {
  readonly host: string;
  readonly port: number;
  readonly certificate: Certificate;
  /** Receives failures, as text for the log. */
  readonly onTrouble: (message: string) => void;
}

/** TCP keep-alive detects a peer that vanished silently, such as a machine that lost power. */
const keepAliveMs = 30_000;

export async function startTunnelListener(options: TunnelListenerOptions): Promise<TunnelListener> {
  const { host, port, certificate, waitingRoom, onTrouble } = options;
  let { authority, secureContext } = tlsOf(certificate);
  const settings = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs };
  const server = createServer(settings, (raw) => {
    if (waitingRoom.isFullFor(raw)) {
      raw.resetAndDestroy();
      return;
    }
    const socket = new TLSSocket(raw, { isServer: true, secureContext, requestCert: true, rejectUnauthorized: false });
    serveLine(socket, { ...options, authority }).catch((err: unknown) => {
      socket.destroy();
      onTrouble(`a gateway could not be served: ${err}`);
    });
  });
  // Several processes share the port: the kernel spreads connections over them.
  const address = await listen(server, { host, port, reusePort: true }, (err) =>
    onTrouble(`a connection could not be accepted: ${err.message}`),
  );
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    use(renewed) {
      ({ authority, secureContext } = tlsOf(renewed));
    },
    close: () => void server.close(),
  };
}

/** Without a session id context, OpenSSL does not resume sessions of callers that showed a certificate. */
const sessionIdContext = 'berth-ingress';

const tlsOf = ({ key, certificate: cert, authority: ca, ticketKeys }: Certificate) => ({
  authority: new X509Certificate(ca),
  secureContext: createSecureContext({
    ...{ key, cert, ca, sessionIdContext, minVersion: 'TLSv1.3' },
    ticketKeys: Buffer.from(ticketKeys, 'base64'),
  }),
});
