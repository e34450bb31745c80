// Test fixture: a workload on a real port, a connector to it, and a gateway that forwards all requests to it.

import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { bytesPerMb } from '@berth/contract';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { NotDispatched } from '@berth/wire';
import { createGatewayServer, type GatewayServer, type GatewayServerOptions } from '../src/http/gateway-server.ts';
import type { Connector } from '../src/proxy/connector.ts';
import { createForwarder, type Forwarder, type ForwarderOptions, type ForwardTask } from '../src/proxy/forwarder.ts';
import type { Outcome } from '../src/proxy/outcome.ts';
import { createUpgrader, type UpgraderOptions } from '../src/proxy/upgrader.ts';
import type { Endpoint } from '../src/workloads/workload.ts';

export const logger = createLogger({ role: 'gateway' }, { level: 'silent' });

export interface Upstream {
  readonly server: Server;
  readonly port: number;
  readonly sockets: Set<Socket>;
  /** Total of accepted connections. */
  readonly accepted: () => number;
}

export async function startUpstream(handler: RequestListener): Promise<Upstream> {
  const server = createServer(handler);
  const sockets = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  return { server, port: await listening(server), sockets, accepted: () => count };
}

export const listening = (server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null && 'port' in address) resolve(Number(address.port));
    });
  });

/** Connects straight to a port of this machine. */
export function directConnector(port: number): Connector {
  return {
    connect: () =>
      new Promise((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', noDelay: true });
        const fail = (cause: Error) => reject(new NotDispatched('unreachable', 'no connection', { cause }));
        socket.once('error', fail).once('connect', () => resolve(socket.off('error', fail)));
      }),
    close: async () => {},
  };
}

const someEndpoint = (): Endpoint => ({
  instance: randomUUID(),
  revision: randomUUID(),
  runnerId: randomUUID(),
  ingress: undefined,
});

export interface Front {
  readonly port: number;
  readonly url: string;
  readonly outcomes: Outcome[];
  readonly forwarder: Forwarder;
  readonly gateway: GatewayServer;
  readonly endpoint: Endpoint;
  close(): Promise<void>;
}

export interface FrontOptions {
  readonly forwarder?: Partial<ForwarderOptions>;
  readonly server?: Partial<GatewayServerOptions>;
  readonly upgrader?: Partial<UpgraderOptions>;
  readonly onResponseHead?: ForwardTask['onResponseHead'];
  readonly endpoint?: Endpoint;
  /** Called synchronously, just before the request is forwarded. */
  readonly beforeForward?: () => void;
}

/** Answers 599 with the error's code where the real gateway would send its own error response. */
export async function startFront(connector: Connector, options: FrontOptions = {}): Promise<Front> {
  const timeouts = { totalMs: 20_000, silentMs: 10_000 };
  const shared = {
    connector,
    timeouts: { agent: timeouts, function: timeouts, sandbox: timeouts },
    logger,
    registry: createMetricsRegistry({ role: 'gateway' }),
    ...options.forwarder,
  };
  const forwarder = createForwarder({ limits: { jsonBytes: bytesPerMb }, ...shared });
  const upgrader = createUpgrader({ ...shared, ...options.upgrader });
  const endpoint = options.endpoint ?? someEndpoint();
  const outcomes: Outcome[] = [];
  const onResponseHead = options.onResponseHead ?? ((_status, headers) => headers);
  const gateway = createGatewayServer({
    refusal: (status) => ({ headers: ['X-Refused', 'yes'], body: `refused ${status}` }),
    maxHeaderBytes: 16_384,
    headersTimeoutMs: 5_000,
    keepAliveMs: 5_000,
    logger,
    async handle({ request, response, upgrade }) {
      const path = request.url ?? '/';
      options.beforeForward?.();
      const task = { request, response, endpoint, path, headers: request.rawHeaders, kind: 'agent' as const };
      const outcome =
        upgrade === undefined
          ? await forwarder.forward({ ...task, onResponseHead })
          : await upgrader.upgrade({ ...task, ...upgrade, onResponseHead });
      outcomes.push(outcome);
      if (outcome.status !== undefined || response.destroyed) return;
      response.writeHead(599, { 'x-state': outcome.dispatchState });
      response.end(outcome.error?.code);
    },
    ...options.server,
  });
  const { port } = await gateway.listen(0, '127.0.0.1');
  return {
    ...{ port, url: `http://127.0.0.1:${port}`, outcomes, forwarder, gateway, endpoint },
    async close() {
      await gateway.stop(0);
      await forwarder.close();
    },
  };
}
