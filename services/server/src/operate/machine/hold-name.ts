import { once } from 'node:events';
import { createServer } from 'node:net';
import { Fault } from './fault.ts';

/**
 * Holds a name of this machine until it is disposed of or the process ends, however it ends: the kernel frees an abstract socket.
 * Throws while another process holds it.
 */
export async function holdName(name: string): Promise<AsyncDisposable> {
  const server = createServer();
  server.listen(`\0${name}`);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Fault(
      'An upgrade is running on this machine already.',
      'wait for its end, then run the same command again',
      { cause },
    );
  });
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
