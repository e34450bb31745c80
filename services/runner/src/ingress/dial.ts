import { connect, type Socket } from 'node:net';
import type { Lease } from '@berth/wire';

/** On the same machine a listener accepts at once, or not at all. */
const patienceMs = 3_000;

/** Undefined when nothing accepts the connection. */
export function dial({ host, port }: Lease['endpoint']): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const fail = (): void => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(patienceMs, fail);
    // The listener stays after the connection is open: a later failure is handled by the code that reads or writes
    // the socket, and must not become an unhandled error.
    socket.on('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0).off('timeout', fail);
      resolve(socket);
    });
  });
}
