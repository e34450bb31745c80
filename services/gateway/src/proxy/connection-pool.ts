// Connections to instances. A lane is one undici client with one connection, used by one request at a time. The gateway
// keeps its own pool instead of an undici pool, because a retry depends on whether the connection has served a request
// before.

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Gauge, type Registry } from '@berth/telemetry';
import { RunnerAway } from '@berth/wire';
import { Client } from 'undici';
import type { Endpoint } from '../workloads/workload.ts';
import type { Connector } from './connector.ts';

export interface LaneSettings {
  /** How long an idle connection is kept when the workload sends no keep-alive hint. Most servers close after 5 s. */
  readonly idleMs: number;
  /** Upper bound for the keep-alive hint of a workload. */
  readonly mostIdleMs: number;
  /**
   * Maximum age of a connection for new requests. A runner that stops accepts no more connections and ends the open
   * ones 15 seconds later: by then the gateway has left each of them, and the requests under way have ended.
   */
  readonly mostAgeMs: number;
  /** Idle time for an instance that can sleep: an open connection keeps it awake. */
  readonly keepAwakeMs: number;
  readonly maxHeaderBytes: number;
}

export interface Lane {
  readonly client: Client;
  readonly instance: string;
  /** Shared by all lanes to the same instance and port. */
  readonly key: string;
  /** Time at which the current connection was requested. */
  openedAt: number;
  /** Set when the instance was forgotten while the lane was in use. */
  isOutdated: boolean;
  /** Requests answered on the current connection. */
  served: number;
  /** Returns the lane after a successful request, for reuse. */
  release(): void;
  /** Closes the connection at once, also during a request. */
  destroy(): void;
}

const keyOf = ({ instance, port }: Endpoint): string => (port === undefined ? instance : `${instance}:${port}`);

export interface Lanes {
  take(endpoint: Endpoint): Lane;
  /** Closes idle connections now, and connections in use after their request. */
  forget(instance: string): void;
  close(): Promise<void>;
}

/** Satisfies undici's types, which require a Socket. A lane only uses features that every Duplex has. */
const isSocket = (stream: Duplex): stream is Socket => typeof stream.cork === 'function';

export function createLanes(connector: Connector, settings: LaneSettings, registry: Registry): Lanes {
  const idle = new Map<string, Lane[]>();
  const all = new Set<Lane>();
  const ofRunner = new Map<string, Set<Lane>>();
  new Gauge({
    name: 'berth_gateway_upstream_connections',
    help: 'Connections to instances, in use or kept for the next request.',
    registers: [registry],
    collect() {
      this.set(all.size);
    },
  });

  function removeIdle(lane: Lane): void {
    const waiting = idle.get(lane.key);
    const at = waiting?.indexOf(lane) ?? -1;
    if (waiting === undefined || at === -1) return;
    waiting.splice(at, 1);
    if (waiting.length === 0) idle.delete(lane.key);
    lane.destroy();
  }

  function open(endpoint: Endpoint): Lane {
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
      keepAliveMaxTimeout: keptMs ?? settings.mostIdleMs,
      maxHeaderSize: settings.maxHeaderBytes,
      connect(_options, callback) {
        lane.served = 0;
        lane.openedAt = performance.now();
        connector.connect(endpoint, stop.signal).then(
          (stream) => {
            if (isSocket(stream)) callback(null, stream);
          },
          (error: unknown) => {
            // Open connections to this runner retire as soon as possible: the stopping runner waits for them before it
            // exits.
            if (error instanceof RunnerAway) retire(ofRunner.get(endpoint.runnerId));
            callback(error instanceof Error ? error : new Error(String(error)), null);
          },
        );
      },
    });
    const lane: Lane = {
      client,
      key,
      instance: endpoint.instance,
      openedAt: performance.now(),
      isOutdated: false,
      served: 0,
      release() {
        lane.served += 1;
        if (lane.isOutdated || !all.has(lane)) return lane.destroy();
        const waiting = idle.get(key);
        if (waiting === undefined) idle.set(key, [lane]);
        else waiting.push(lane);
      },
      destroy() {
        if (!all.delete(lane)) return;
        const others = ofRunner.get(endpoint.runnerId);
        others?.delete(lane);
        if (others?.size === 0) ofRunner.delete(endpoint.runnerId);
        stop.abort();
        client.destroy().catch(() => {});
      },
    };
    client.on('disconnect', () => removeIdle(lane));
    all.add(lane);
    const others = ofRunner.get(endpoint.runnerId);
    if (others === undefined) ofRunner.set(endpoint.runnerId, new Set([lane]));
    else others.add(lane);
    return lane;
  }

  function retire(lanes: Iterable<Lane> = []): void {
    for (const lane of [...lanes]) {
      lane.isOutdated = true;
      removeIdle(lane);
    }
  }

  return {
    take(endpoint) {
      const youngest = performance.now() - settings.mostAgeMs;
      const key = keyOf(endpoint);
      const waiting = idle.get(key) ?? [];
      // Takes the most recently used lane, so that the others can grow old and close.
      for (let lane = waiting.pop(); lane !== undefined; lane = waiting.pop()) {
        if (waiting.length === 0) idle.delete(key);
        if (lane.openedAt >= youngest) return lane;
        lane.destroy();
      }
      return open(endpoint);
    },
    forget(instance) {
      retire([...all].filter((lane) => lane.instance === instance));
    },
    async close() {
      idle.clear();
      for (const lane of [...all]) lane.destroy();
    },
  };
}
