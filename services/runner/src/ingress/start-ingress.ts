// Entry to this machine's instances: leases for callers on this machine, and ingress processes that turn tunnels of
// gateways on any machine into such leases.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TunnelAnswer } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import type { Identity } from '../node/identity.ts';
import type { Endpoints } from './endpoint.ts';
import { IngressChild } from './ingress-child.ts';
import type { Certificate } from './ingress-messages.ts';
import type { InstanceLeases } from './instance-leases.ts';
import { startLeaseListener } from './lease-listener.ts';
import type { RunnerCalls } from './runner-calls.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface IngressOptions {
  readonly config: Pick<RunnerConfig, 'ingress' | 'stateFolder'>;
  readonly identity: Identity;
  readonly instances: Endpoints;
  readonly leases: InstanceLeases;
  readonly calls: RunnerCalls;
  readonly onAnswers: (answer: TunnelAnswer['tunnel'], count: number) => void;
  readonly logger: Logger;
}

export interface RunningIngress {
  /** Address that gateways connect to, `host:port`. */
  readonly address: string;
  readonly tunnels: number;
  /** Ids of the ingress processes. */
  readonly pids: readonly number[];
  /** Switches to a renewed certificate. */
  use(identity: Identity): void;
  /** Accepts nothing more, and gives open connections `patienceMs` to finish. */
  close(patienceMs: number): Promise<void>;
}

/** File name in the runner's state folder. */
export const leaseSocketName = 'ingress.sock';
/** Time for a process to end once nothing is open in it. */
const endMs = 2_000;

export async function startIngress(options: IngressOptions): Promise<RunningIngress> {
  const { config, leases, logger, onAnswers } = options;
  const { host, processes, advertisedAddress } = config.ingress;
  let { port } = config.ingress;
  let certificate = certificateOf(options.identity);
  const leaseSocket = join(config.stateFolder, leaseSocketName);
  const waitingRoom = new WaitingRoom();
  const closeLeases = await startLeaseListener(leaseSocket, { ...options, waitingRoom });
  const orders = () => ({ do: 'listen' as const, host, port, leaseSocket, certificate });
  const children = Array.from({ length: processes }, () => new IngressChild({ orders, onAnswers, logger }));
  const end = (patienceMs: number) => Promise.all(children.map((child) => child.end(patienceMs)));
  try {
    // The other processes share the port that the first one got.
    for (const child of children) port = await child.start();
  } catch (error) {
    closeLeases();
    await end(0);
    throw error;
  }
  return {
    address: advertisedAddress ?? advertised(host, port),
    get tunnels() {
      return children.reduce((sum, { tunnels }) => sum + tunnels, 0);
    },
    get pids() {
      return children.flatMap(({ pid }) => pid ?? []);
    },
    use(renewed) {
      certificate = certificateOf(renewed);
      for (const child of children) child.tell({ do: 'show', certificate });
    },
    async close(patienceMs) {
      const ended = end(patienceMs + endMs);
      closeLeases();
      waitingRoom.close();
      await leases.close(patienceMs);
      await ended;
    },
  };
}

/**
 * Each certificate gets new ticket keys: session tickets of the previous certificate are not accepted with the next.
 */
const certificateOf = ({ key, certificate, authority }: Identity): Certificate => ({
  key,
  certificate,
  authority,
  ticketKeys: randomBytes(48).toString('base64'),
});

/** Address to advertise. A wildcard listen address cannot be connected to, so the host name takes its place. */
function advertised(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `${hostname()}:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
