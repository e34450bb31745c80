import type { ListenOptions, Server } from 'node:net';

/** Rejects when it cannot listen. Later trouble, such as too many open files, is told: it must not end the process. */
export function listen(
  server: Server,
  options: ListenOptions,
  onTrouble: (err: Error) => void,
): Promise<ReturnType<Server['address']>> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      server.on('error', onTrouble);
      resolve(server.address());
    });
  });
}
