import type { ListenOptions, Server } from 'node:net';
import type { Logger } from '@berth/telemetry';

/** Rejects when it cannot listen. Later trouble, such as too many open files, is told: it must not end the process. */
export function listen(server: Server, options: ListenOptions, logger: Logger): Promise<ReturnType<Server['address']>> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      server.on('error', (err) => logger.warn({ err }, 'the ingress could not accept a connection'));
      resolve(server.address());
    });
  });
}
