// To an instance on another machine: a TLS connection to its runner, one line that names it, and then the bytes are the
// container's.
import { once } from 'node:events';
import { connect as startTls, type TLSSocket } from 'node:tls';
import { ingressServerName, TunnelAnswer, type TunnelRequest } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import { parseLine, readLine } from '@berth/wire';
import type { Endpoint } from '../routing/route.ts';
import { createAuthority } from './authority.ts';
import { type Connector, NotDispatched, RunnerAway } from './connector.ts';
import { TlsSessions } from './tls-sessions.ts';

export interface TunnelConnectorOptions {
  /** The node authority's certificate: who does not show one of its own is not a runner. */
  readonly authorityPem: () => Promise<string>;
  /** From the first packet to the runner's answer. */
  readonly answerMs?: number;
  /** Many may wait for a runner that starts again; after a refusal it is not called on for so long. */
  readonly refusedMs?: number;
  readonly logger: Logger;
}

const mostAnswerBytes = 4_096;

export function createTunnelConnector(options: TunnelConnectorOptions): Connector {
  const { authorityPem, answerMs = 5_000, refusedMs = 100, logger } = options;
  const sessions = new TlsSessions();
  const opening = new Set<TLSSocket>();
  /** Of each that is away one line tells, not one for every request that waits for it. */
  const away = new Set<string>();
  const authority = createAuthority({ load: authorityPem, logger });

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

  /** By address, when it last refused a connection. */
  const refusals = new Map<string, number>();

  function complain({ instance, runnerId }: Endpoint, err: unknown): void {
    logger[away.has(runnerId) ? 'debug' : 'warn']({ instance, runnerId, err }, 'a runner is not reachable');
    away.add(runnerId);
  }

  async function open(endpoint: Endpoint, signal: AbortSignal | undefined): Promise<TLSSocket> {
    if (endpoint.ingress === undefined)
      throw new NotDispatched('unreachable', 'the runner of the instance has no ingress');
    const { address, secret } = endpoint.ingress;
    if (performance.now() < (refusals.get(address) ?? Number.NEGATIVE_INFINITY) + refusedMs) throw new RunnerAway({});
    const socket = await start(endpoint, address).catch((cause: unknown) => {
      throw new NotDispatched('unreachable', 'nobody can tell who is a runner', { cause });
    });
    const fail = (why: string) => socket.destroy(new Error(why));
    const timer = setTimeout(fail, answerMs, 'the runner did not answer in time');
    const onAbort = () => fail('no longer wanted');
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    opening.add(socket);
    try {
      // The secret is for a runner that has proven to be one.
      await once(socket, 'secureConnect');
      refusals.delete(address);
      socket.write(`${JSON.stringify({ secret, instance: endpoint.instance } satisfies TunnelRequest)}\n`);
      const answer = parseLine(await readLine(socket, mostAnswerBytes), TunnelAnswer);
      away.delete(endpoint.runnerId);
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
      if (!signal?.aborted) complain(endpoint, cause);
      if (isRefusal(cause)) {
        refusals.set(address, performance.now());
        throw new RunnerAway({ cause });
      }
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

const isRefusal = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

/** `host:port`, where the host may be an IPv6 address in brackets. */
function placeOf(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(at + 1)) };
}
