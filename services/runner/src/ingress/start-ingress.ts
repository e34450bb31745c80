// The way in to this machine's instances: tunnels for gateways anywhere, leases for those on this machine.
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TunnelAnswer } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import type { Identity } from '../node/identity.ts';
import type { Endpoints } from './endpoint.ts';
import type { IngressSecrets } from './ingress-secrets.ts';
import { startLeaseListener } from './lease-listener.ts';
import type { TrafficBook } from './traffic-book.ts';
import { startTunnelListener } from './tunnel-listener.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface IngressOptions {
  readonly config: Pick<RunnerConfig, 'ingress' | 'stateFolder'>;
  readonly identity: Identity;
  readonly secrets: IngressSecrets;
  readonly instances: Endpoints;
  readonly traffic: TrafficBook;
  readonly onAnswer: (answer: TunnelAnswer['tunnel']) => void;
  readonly logger: Logger;
}

export interface RunningIngress {
  /** What gateways are told, `host:port`. */
  readonly address: string;
  /** After the certificate was renewed. */
  use(identity: Identity): void;
  /** Accepts nothing more, and lets what is open finish for so long. */
  close(patienceMs: number): Promise<void>;
}

/** In the runner's state folder. */
export const leaseSocketName = 'ingress.sock';

export async function startIngress(options: IngressOptions): Promise<RunningIngress> {
  const { config, traffic } = options;
  const { host, port, advertisedAddress } = config.ingress;
  // One each: strangers on the network must not keep out a gateway on this machine.
  const rooms = { tunnels: new WaitingRoom(), leases: new WaitingRoom() };
  const tunnels = await startTunnelListener({ ...options, host, port, waitingRoom: rooms.tunnels });
  const leaseSocket = join(config.stateFolder, leaseSocketName);
  const closeLeases = await startLeaseListener(leaseSocket, { ...options, waitingRoom: rooms.leases });
  return {
    address: advertisedAddress ?? advertised(host, tunnels.port),
    use: (identity) => tunnels.use(identity),
    async close(patienceMs) {
      tunnels.close();
      closeLeases();
      rooms.tunnels.close();
      rooms.leases.close();
      await traffic.close(patienceMs);
    },
  };
}

/** Nobody reaches a machine under the address that means all of its own. */
function advertised(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `${hostname()}:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
