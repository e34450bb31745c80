// A proxy that cuts connections: before a request has arrived, within it, or after it was passed on and before its answer.
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../../engines/free-port.ts';

type Cut = 'before' | 'within' | 'after' | 'never';

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  readonly cuts: Readonly<Record<Cut, number>>;
  /** Number of connections so far. */
  connections(): number;
}

/** Longest part of a request that is passed on before a cut within it. */
const maxWithinBytes = 400;
/** Given as `random`, nothing is cut. */
export const withoutCuts = (): number => 0.99;
const kinds = ['before', 'within', 'after', 'never', 'never', 'never', 'never', 'never', 'never'] as const;

/** One of three requests is cut. `random` is from 0 to 1. */
export async function startCuttingProxy(target: string, random: () => number): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const cuts: Record<Cut, number> = { before: 0, within: 0, after: 0, never: 0 };
  const open = new Set<Socket>();
  let connections = 0;

  function pass(client: Socket): void {
    connections += 1;
    const server = connect(Number(port), hostname);
    let cut: Cut = 'never';
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    // Requests are small, so each arrives as one piece.
    client.on('data', (bytes) => {
      cut = kinds[Math.floor(random() * kinds.length)] ?? 'never';
      cuts[cut] += 1;
      if (cut === 'before') end();
      else if (cut === 'within') server.end(bytes.subarray(0, Math.floor(random() * maxWithinBytes)), end);
      else server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (cut === 'after') end();
      else client.write(bytes);
    });
  }

  const listener = createServer(pass);
  const own = await freePort();
  await new Promise<void>((resolve) => listener.listen(own, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${own}`,
    cuts,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
