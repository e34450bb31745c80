// Where gateways of other machines connect. TLS is wrapped around every connection by hand, not by a TLS server: so the time
// and the number of handshakes are bounded together with what follows them.
import { createServer } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Logger } from '@berth/telemetry';
import type { Identity } from '../node/identity.ts';
import { listen } from './listen.ts';
import { serveTunnel, type TunnelTools } from './serve-tunnel.ts';

export interface TunnelListener {
  readonly port: number;
  /** New connections are answered with this certificate; those that are open go on. */
  use(identity: Identity): void;
  /** Accepts nothing more. */
  close(): void;
}

export interface TunnelListenerOptions extends TunnelTools {
  readonly host: string;
  readonly port: number;
  readonly identity: Identity;
  readonly logger: Logger;
}

/** Of a peer that vanished without a word, a machine without power, nothing is heard. */
const keepAliveMs = 30_000;

export async function startTunnelListener(options: TunnelListenerOptions): Promise<TunnelListener> {
  const { host, port, identity, waitingRoom, logger } = options;
  let secureContext = contextOf(identity);
  const settings = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs };
  const server = createServer(settings, (raw) => {
    if (waitingRoom.isFull) {
      raw.resetAndDestroy();
      return;
    }
    const socket = new TLSSocket(raw, { isServer: true, secureContext });
    serveTunnel(socket, raw, options).catch((err: unknown) => {
      socket.destroy();
      logger.warn({ err }, 'a tunnel could not be served');
    });
  });
  const address = await listen(server, { host, port }, logger);
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    use(renewed) {
      secureContext = contextOf(renewed);
    },
    close: () => void server.close(),
  };
}

const contextOf = ({ key, certificate }: Identity) =>
  createSecureContext({ key, cert: certificate, minVersion: 'TLSv1.3' });
