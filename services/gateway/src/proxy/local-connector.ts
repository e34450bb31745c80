// To an instance on this very machine: straight to its container, under a lease from the runner.
import { connect, type Socket } from 'node:net';
import { Leases } from '@berth/wire';
import type { Endpoint } from '../routing/route.ts';
import { NotDispatched } from './connector.ts';

export interface LocalConnectorOptions {
  /** Of the runner on this machine. */
  readonly socketPath: string;
  /** Spares a question about instances that are known to be elsewhere. */
  readonly isLocal?: (runnerId: string) => boolean;
  /** The runner stops lending it: idle connections to it should end. */
  readonly onLeaseOver?: (instance: string) => void;
  readonly answerMs?: number;
  readonly keepMs?: number;
}

export interface LocalConnector {
  /** Undefined when the instance is not here. Throws `NotDispatched` when it is and does not accept connections. */
  connect(endpoint: Endpoint, signal?: AbortSignal): Promise<Socket | undefined>;
  close(): Promise<void>;
}

export function createLocalConnector(options: LocalConnectorOptions): LocalConnector {
  const { socketPath, isLocal = () => true, onLeaseOver, answerMs = 5_000, keepMs = 30_000 } = options;
  const leases = new Leases({
    ...{ socketPath, answerMs, keepMs },
    ...(onLeaseOver === undefined ? {} : { onOver: onLeaseOver }),
  });

  return {
    async connect({ instance, runnerId }, signal) {
      if (!isLocal(runnerId)) return undefined;
      const lease = await leases.on(instance);
      if (lease === undefined || lease.isOver) return undefined;
      const end = lease.use();
      const socket = connect({ ...lease.place, noDelay: true, keepAlive: true });
      socket.once('close', end);
      return connected(socket, signal);
    },
    close: () => leases.close(),
  };
}

function connected(socket: Socket, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(new NotDispatched('unreachable', 'the container does not accept', { cause }));
    const onAbort = () => socket.destroy(new Error('no longer wanted'));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    socket.once('error', fail).once('connect', () => {
      signal?.removeEventListener('abort', onAbort);
      resolve(socket.off('error', fail));
    });
  });
}
