// A connection to PostgreSQL that a test can cut.
import { createServer, connect as dial, type Socket } from 'node:net';
import { connect, type Database } from '@berth/database';

export interface DatabaseLine extends AsyncDisposable {
  readonly url: string;
  readonly database: Database;
  /** `cut` refuses and ends connections; `silent` keeps them open but passes no bytes on. */
  become(state: 'open' | 'cut' | 'silent'): void;
}

/** Database reached through a forwarder. */
export async function openDatabaseLine(databaseUrl: string): Promise<DatabaseLine> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = dial(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (state === 'open') to.write(chunk);
      });
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  const database = connect({ url: url.href, maxConnections: 5 });
  return {
    url: url.href,
    database,
    become(next) {
      state = next;
      // Bytes dropped during the silence are lost, so connections end with it.
      if (next !== 'silent') cut();
    },
    async [Symbol.asyncDispose]() {
      cut();
      await database.destroy().catch(() => {});
      await new Promise((closed) => server.close(closed));
    },
  };
}
