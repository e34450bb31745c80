import { once } from 'node:events';
import { connect } from 'node:net';

/** Those of the ports at which a host accepts connections, in order. */
export async function openPorts(host: string, ports: readonly number[]): Promise<number[]> {
  const left = [...ports];
  const open: number[] = [];
  const lane = async (): Promise<void> => {
    for (let port = left.pop(); port !== undefined; port = left.pop()) {
      const socket = connect({ host, port });
      await once(socket, 'connect').then(
        () => open.push(port),
        () => {},
      );
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: 200 }, lane));
  return open.toSorted((one, other) => one - other);
}
