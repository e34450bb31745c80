// Connects to an instance on the same machine: straight to its container, under a lease from the runner.
import { connect, type Socket } from 'node:net';
import { backoffMs, pause } from '@berth/concurrency';
import { type Lease, Leases } from '@berth/wire';
import type { Endpoint } from '../workloads/workload.ts';
import { PortClosed } from './connector.ts';

export interface LocalConnectorOptions {
  /** Socket of the runner on this machine. */
  readonly socketPath: string;
  /** Avoids a request to the runner for instances that are known to be elsewhere. */
  readonly isLocal?: (runnerId: string) => boolean;
  /** Called when the runner ends the lease: idle connections to the instance should close. */
  readonly onLeaseOver?: (instance: string) => void;
  readonly answerMs?: number;
  /**
   * Time limit like `answerMs`, for an instance that may have to wake first: a runner short of memory needs longer
   * (sandbox sheet R-60).
   */
  readonly wakeMs?: number;
  readonly keepMs?: number;
}

export interface LocalConnector {
  /**
   * Undefined when the instance is not on this machine. Throws `NotDispatched` when it is here, but sleeps or does not
   * accept connections.
   */
  connect(endpoint: Endpoint, signal?: AbortSignal): Promise<Socket | undefined>;
  close(): Promise<void>;
}

/** On the same machine, a listener accepts at once or not at all. */
const dialMs = 3_000;
/** A lease keeps a sleepable instance awake, so it is returned soon after its last use. */
const keepAwakeMs = 1_000;
/** Backoff between lease requests for an open stream while its runner restarts. */
const renewMs = { first: 100, max: 2_000 };

export function createLocalConnector(options: LocalConnectorOptions): LocalConnector {
  const { socketPath, isLocal = () => true, onLeaseOver, answerMs = 5_000, wakeMs = 60_000, keepMs = 30_000 } = options;
  const shared = { socketPath, ...(onLeaseOver === undefined ? {} : { onOver: onLeaseOver }) };
  const leases = new Leases({ ...shared, answerMs, keepMs });
  const sleeperLeases = new Leases({ ...shared, answerMs: wakeMs, keepMs: keepAwakeMs });

  /**
   * Holds the lease for as long as the connection lasts. A connection that outlives the runner process takes a new
   * lease from the next one, because nothing else keeps the instance awake.
   */
  function hold(socket: Socket, lease: Lease, again: (() => Promise<Lease | undefined>) | undefined): void {
    const renew = async (): Promise<void> => {
      for (let rounds = 1; !socket.destroyed && again !== undefined; rounds += 1) {
        await pause(backoffMs(rounds, renewMs.first, renewMs.max, Math.random));
        const next = await again().catch(() => undefined);
        if (next === undefined || next.isOver) continue;
        if (!socket.destroyed) hold(socket, next, again);
        return;
      }
    };
    const end = lease.use(() => void renew());
    socket.once('close', end);
    if (socket.destroyed) end();
  }

  return {
    async connect({ instance, runnerId, port, canSleep }, signal) {
      if (!isLocal(runnerId)) return undefined;
      const ask = () => (canSleep ? sleeperLeases : leases).on(instance);
      const lease = await ask();
      if (lease === undefined || lease.isOver) return undefined;
      const { host } = lease.endpoint;
      const socket = connect({ host, port: port ?? lease.endpoint.port, noDelay: true, keepAlive: true });
      hold(socket, lease, canSleep ? ask : undefined);
      return connected(socket, signal);
    },
    async close() {
      await Promise.all([leases.close(), sleeperLeases.close()]);
    },
  };
}

function connected(socket: Socket, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(new PortClosed('the container does not accept', { cause }));
    const onAbort = () => socket.destroy(new Error('no longer wanted'));
    const onLate = () => socket.destroy(new Error(`no answer within ${dialMs} ms`));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    socket.setTimeout(dialMs, onLate);
    socket.once('error', fail).once('connect', () => {
      signal?.removeEventListener('abort', onAbort);
      resolve(socket.setTimeout(0).off('timeout', onLate).off('error', fail));
    });
  });
}
