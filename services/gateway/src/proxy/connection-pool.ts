// Pool of connections to instances. A pooled connection is one undici client with one socket, used by one request at a
// time. The gateway keeps its own pool instead of an undici pool, because a retry depends on whether the connection has
// served a request before.

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Gauge, type Registry } from '@berth/telemetry';
import { RunnerAway } from '@berth/wire';
import { Client } from 'undici';
import type { Endpoint } from '../workloads/workload.ts';
import type { Connector } from './connector.ts';

export interface ConnectionPoolSettings {
  /** How long an idle connection is kept when the workload sends no keep-alive hint. Most servers close after 5 s. */
  readonly idleMs: number;
  /** Upper bound for the keep-alive hint of a workload. */
  readonly maxIdleMs: number;
  /**
   * Maximum age of a connection for new requests. A runner that stops accepts no more connections and ends the open
   * ones 15 seconds later: by then the gateway has left each of them, and the requests under way have ended.
   */
  readonly maxAgeMs: number;
  /** Idle time for an instance that can sleep: an open connection keeps it awake. */
  readonly keepAwakeMs: number;
  readonly maxHeaderBytes: number;
}

export interface PooledConnection {
  readonly client: Client;
  readonly instance: string;
  /** Shared by all connections to the same instance and port. */
  readonly key: string;
  /** Time at which the current socket was requested. */
  openedAt: number;
  /** Set when the instance was forgotten while the connection was in use. */
  isOutdated: boolean;
  /** Requests answered on the current socket. */
  served: number;
  /** Returns the connection after a successful request, for reuse. */
  release(): void;
  /** Closes the connection at once, also during a request. */
  destroy(): void;
}

const keyOf = ({ instance, port }: Endpoint): string => (port === undefined ? instance : `${instance}:${port}`);

export interface ConnectionPool {
  take(endpoint: Endpoint): PooledConnection;
  /** Closes idle connections now, and connections in use after their request. */
  forget(instance: string): void;
  close(): Promise<void>;
}

/** Satisfies undici's types, which require a Socket. A connection only uses features that every Duplex has. */
const isSocket = (stream: Duplex): stream is Socket => typeof stream.cork === 'function';

export function createConnectionPool(
  connector: Connector,
  settings: ConnectionPoolSettings,
  registry: Registry,
): ConnectionPool {
  const idle = new Map<string, PooledConnection[]>();
  const all = new Set<PooledConnection>();
  const byRunner = new Map<string, Set<PooledConnection>>();
  new Gauge({
    name: 'berth_gateway_upstream_connections',
    help: 'Connections to instances, in use or idle.',
    registers: [registry],
    collect() {
      this.set(all.size);
    },
  });

  function removeIdle(connection: PooledConnection): void {
    const waiting = idle.get(connection.key);
    const at = waiting?.indexOf(connection) ?? -1;
    if (waiting === undefined || at === -1) return;
    waiting.splice(at, 1);
    if (waiting.length === 0) idle.delete(connection.key);
    connection.destroy();
  }

  function open(endpoint: Endpoint): PooledConnection {
    const stop = new AbortController();
    const key = keyOf(endpoint);
    const keptMs = endpoint.canSleep ? settings.keepAwakeMs : undefined;
    const client = new Client('http://instance', {
      allowH2: false,
      pipelining: 1,
      // The forwarder measures timeouts, because it also sees the other direction.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keptMs ?? settings.idleMs,
      keepAliveMaxTimeout: keptMs ?? settings.maxIdleMs,
      maxHeaderSize: settings.maxHeaderBytes,
      connect(_options, callback) {
        connection.served = 0;
        connection.openedAt = performance.now();
        connector.connect(endpoint, stop.signal).then(
          (stream) => {
            if (isSocket(stream)) callback(null, stream);
          },
          (error: unknown) => {
            // Open connections to this runner retire as soon as possible: the stopping runner waits for them before it
            // exits.
            if (error instanceof RunnerAway) retire(byRunner.get(endpoint.runnerId));
            callback(error instanceof Error ? error : new Error(String(error)), null);
          },
        );
      },
    });
    const connection: PooledConnection = {
      client,
      key,
      instance: endpoint.instance,
      openedAt: performance.now(),
      isOutdated: false,
      served: 0,
      release() {
        connection.served += 1;
        if (connection.isOutdated || !all.has(connection)) return connection.destroy();
        const waiting = idle.get(key);
        if (waiting === undefined) idle.set(key, [connection]);
        else waiting.push(connection);
      },
      destroy() {
        if (!all.delete(connection)) return;
        const others = byRunner.get(endpoint.runnerId);
        others?.delete(connection);
        if (others?.size === 0) byRunner.delete(endpoint.runnerId);
        stop.abort();
        client.destroy().catch(() => {});
      },
    };
    client.on('disconnect', () => removeIdle(connection));
    all.add(connection);
    const others = byRunner.get(endpoint.runnerId);
    if (others === undefined) byRunner.set(endpoint.runnerId, new Set([connection]));
    else others.add(connection);
    return connection;
  }

  function retire(connections: Iterable<PooledConnection> = []): void {
    for (const connection of [...connections]) {
      connection.isOutdated = true;
      removeIdle(connection);
    }
  }

  return {
    take(endpoint) {
      const youngest = performance.now() - settings.maxAgeMs;
      const key = keyOf(endpoint);
      const waiting = idle.get(key) ?? [];
      // Takes the most recently used connection, so that the others can grow old and close.
      for (let connection = waiting.pop(); connection !== undefined; connection = waiting.pop()) {
        if (waiting.length === 0) idle.delete(key);
        if (connection.openedAt >= youngest) return connection;
        connection.destroy();
      }
      return open(endpoint);
    },
    forget(instance) {
      retire([...all].filter((connection) => connection.instance === instance));
    },
    async close() {
      idle.clear();
      for (const connection of [...all]) connection.destroy();
    },
  };
}
