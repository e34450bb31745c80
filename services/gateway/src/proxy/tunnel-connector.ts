// To an instance on another machine: a TLS connection to its runner, one line that names it, and then the bytes are the
// container's.
import { once } from 'node:events';
import { createSecureContext, type SecureContext, connect as startTls, type TLSSocket } from 'node:tls';
import { ingressServerName, TunnelAnswer, type TunnelRequest } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import { parseLine, readLine } from '@berth/wire';
import type { Endpoint } from '../routing/route.ts';
import { type Connector, NotDispatched } from './connector.ts';
import { TlsSessions } from './tls-sessions.ts';

export interface TunnelConnectorOptions {
  /** The node authority's certificate: who does not show one of its own is not a runner. */
  readonly authorityPem: () => Promise<string>;
  /** From the first packet to the runner's answer. */
  readonly answerMs?: number;
  readonly logger: Logger;
}

const mostAnswerBytes = 4_096;
/** The runner takes the first: strong enough, and the cheapest for every processor with instructions for AES. */
const ciphers = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

export function createTunnelConnector({ authorityPem, answerMs = 5_000, logger }: TunnelConnectorOptions): Connector {
  const sessions = new TlsSessions();
  const opening = new Set<TLSSocket>();
  let known: { readonly pem: string; readonly context: SecureContext } | undefined;

  async function authority(): Promise<SecureContext> {
    const pem = await authorityPem();
    if (known?.pem !== pem) known = { pem, context: createSecureContext({ ca: pem, minVersion: 'TLSv1.3', ciphers }) };
    return known.context;
  }

  async function start({ runnerId }: Endpoint, address: string): Promise<TLSSocket> {
    const servername = ingressServerName(runnerId);
    const session = sessions.get(servername);
    const socket = startTls({
      ...placeOf(address),
      servername,
      secureContext: await authority(),
      minVersion: 'TLSv1.3',
      ...(session === undefined ? {} : { session }),
    });
    socket.setNoDelay(true).setKeepAlive(true, 30_000);
    sessions.learnFrom(socket, servername);
    return socket;
  }

  async function open(endpoint: Endpoint, signal: AbortSignal | undefined): Promise<TLSSocket> {
    if (endpoint.ingress === undefined)
      throw new NotDispatched('unreachable', 'the runner of the instance has no ingress');
    const { address, secret } = endpoint.ingress;
    const socket = await start(endpoint, address);
    const fail = (why: string) => socket.destroy(new Error(why));
    const timer = setTimeout(fail, answerMs, 'the runner did not answer in time');
    const onAbort = () => fail('no longer wanted');
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    opening.add(socket);
    try {
      // The secret is for a runner that has proven to be one.
      await once(socket, 'secureConnect');
      socket.write(`${JSON.stringify({ secret, instance: endpoint.instance } satisfies TunnelRequest)}\n`);
      const answer = parseLine(await readLine(socket, mostAnswerBytes), TunnelAnswer);
      if (answer?.tunnel === 'open') return socket;
      throw new NotDispatched(
        answer?.tunnel ?? 'unreachable',
        `the runner says ${answer?.tunnel ?? 'nothing of use'}`,
        {
          cause: socket.errored,
        },
      );
    } catch (cause) {
      // An error that nobody waits for any more must not end the process.
      socket.on('error', () => {}).destroy();
      if (cause instanceof NotDispatched) throw cause;
      sessions.forget(ingressServerName(endpoint.runnerId));
      logger.warn(
        { instance: endpoint.instance, runnerId: endpoint.runnerId, err: cause },
        'a runner is not reachable',
      );
      throw new NotDispatched('unreachable', 'the runner is not reachable', { cause });
    } finally {
      opening.delete(socket);
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  return {
    connect: open,
    async close() {
      for (const socket of opening) socket.destroy(new Error('the gateway stops'));
    },
  };
}

/** `host:port`, where the host may be an IPv6 address in brackets. */
function placeOf(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(at + 1)) };
}
