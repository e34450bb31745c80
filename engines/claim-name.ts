import { createServer, type ListenOptions, type Server } from 'node:net';

/** Claims a name that only one process of this network namespace can hold, until it closes the server or exits. */
export const claimName = (name: string): Promise<Server | undefined> => listening({ path: `\0berth-${name}` });

/** Undefined when the address is already in use. */
export const listening = (place: ListenOptions): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(place, () => resolve(server));
  });
