import type { ListenOptions, Server } from 'node:net';

/**
 * Rejects if the server cannot listen. Later errors, such as too many open files, go to `onTrouble`: they must not
 * end the process.
 */
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
