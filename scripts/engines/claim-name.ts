import { createServer, type ListenOptions, type Server } from 'node:net';

/** A name that one process of this network namespace has at a time, until it closes the server or ends. */
export const claimName = (name: string): Promise<Server | undefined> => listening({ path: `\0berth-${name}` });

/** Undefined when somebody listens there already. */
export const listening = (place: ListenOptions): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(place, () => resolve(server));
  });
