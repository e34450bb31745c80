// The way in to this machine's instances: leases for whoever is on this machine, and processes that turn tunnels of gateways
// anywhere into such leases.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TunnelAnswer } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import type { Identity } from '../node/identity.ts';
import type { Endpoints } from './endpoint.ts';
import { IngressChild } from './ingress-child.ts';
import type { Certificate } from './ingress-messages.ts';
import { startLeaseListener } from './lease-listener.ts';
import type { RunnerCalls } from './runner-calls.ts';
import type { TrafficBook } from './traffic-book.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface IngressOptions {
  readonly config: Pick<RunnerConfig, 'ingress' | 'stateFolder'>;
  readonly identity: Identity;
  readonly instances: Endpoints;
  readonly traffic: TrafficBook;
  readonly calls: RunnerCalls;
  readonly onAnswers: (answer: TunnelAnswer['tunnel'], count: number) => void;
  readonly logger: Logger;
}

export interface RunningIngress {
  /** What gateways are told, `host:port`. */
  readonly address: string;
  readonly tunnels: number;
  /** Of its processes. */
  readonly pids: readonly number[];
  /** After the certificate was renewed. */
  use(identity: Identity): void;
  /** Accepts nothing more, and lets what is open finish for so long. */
  close(patienceMs: number): Promise<void>;
}

/** In the runner's state folder. */
export const leaseSocketName = 'ingress.sock';
/** For a process to end when nothing is open in it. */
const endMs = 2_000;

export async function startIngress(options: IngressOptions): Promise<RunningIngress> {
  const { config, traffic, logger, onAnswers } = options;
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
    // The others share the port that the first has got.
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
      await traffic.close(patienceMs);
      await ended;
    },
  };
}

/** Tickets of the certificate before are of no use with the next. */
const certificateOf = ({ key, certificate, authority }: Identity): Certificate => ({
  key,
  certificate,
  authority,
  ticketKeys: randomBytes(48).toString('base64'),
});

/** Nobody reaches a machine under the address that means all of its own. */
function advertised(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `${hostname()}:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
