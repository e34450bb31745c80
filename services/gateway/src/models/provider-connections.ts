// Connections to providers, kept for the next request. Each has one request at a time. The gateway keeps them itself: an
// agent of undici asks each connection of an origin in turn whether it is free, and open streams keep thousands busy.
import type { LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';

export interface ProviderConnections {
  /** A free connection to this origin, or a new one. */
  take(origin: string): ProviderConnection;
  close(): Promise<void>;
}

interface ProviderConnection {
  readonly client: Client;
  /** The answer was read to its end: the connection can have another request. */
  release(): void;
  /** Closes the connection at once. */
  destroy(): void;
}

/** Providers close idle connections after a minute or more. */
const idleMs = 30_000;
const connectMs = 10_000;
const maxHeaderBytes = 64 * 1024;

export function createProviderConnections(lookup: LookupFunction): ProviderConnections {
  const free = new Map<string, ProviderConnection[]>();
  const all = new Set<Client>();
  let isClosed = false;
  // Shared, so that a new connection continues a TLS session of an earlier one.
  const connect = buildConnector({ lookup, timeout: connectMs, allowH2: false });

  function open(origin: string): ProviderConnection {
    const client = new Client(origin, {
      connect,
      allowH2: false,
      pipelining: 1,
      // Measured by the caller: the time until an answer begins is another than the time between its bytes.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
    });
    const connection: ProviderConnection = {
      client,
      release() {
        if (!all.has(client)) return;
        const others = free.get(origin);
        if (others === undefined) free.set(origin, [connection]);
        else others.push(connection);
      },
      destroy() {
        if (all.delete(client)) client.destroy().catch(() => {});
      },
    };
    // A free connection that the provider closed, or that was idle for too long, is not used again.
    client.on('disconnect', () => {
      const others = free.get(origin) ?? [];
      const at = others.indexOf(connection);
      if (at === -1) return;
      others.splice(at, 1);
      if (others.length === 0) free.delete(origin);
      connection.destroy();
    });
    all.add(client);
    // A request that is under way tries no other connection any more.
    if (isClosed) connection.destroy();
    return connection;
  }

  return {
    // The one that was used last, so that the others can grow idle and close.
    take: (origin) => free.get(origin)?.pop() ?? open(origin),
    async close() {
      isClosed = true;
      free.clear();
      await Promise.all([...all].map((client) => client.destroy()));
      all.clear();
    },
  };
}
