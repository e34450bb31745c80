// Passes a call of the api on to the runner's own process, which knows the instances. The ingress process only copies
// bytes.
import { connect, type Socket } from 'node:net';
import type { RunnerCallName, TunnelAnswer } from '@berth/contract/node';
import type { Channel } from '@berth/wire';
import { joinSockets } from './join-sockets.ts';
import type { TunnelTally } from './tunnel-tally.ts';

export interface CallPassing {
  readonly localSocket: string;
  readonly tally: TunnelTally;
}

export async function passCall(
  name: RunnerCallName,
  channel: Channel,
  welcome: () => void,
  { localSocket, tally }: CallPassing,
): Promise<TunnelAnswer> {
  const runner = await connected(localSocket);
  if (runner === undefined) return { tunnel: 'unreachable' };
  runner.write(`${JSON.stringify({ call: name })}\n`);
  welcome();
  const end = tally.begin();
  const near = { socket: channel, reset: (): void => channel.break('the call broke') };
  const far = { socket: runner, reset: (): void => void runner.destroy() };
  void joinSockets(near, far).then(end);
  return { tunnel: 'open' };
}

function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('connect', () => resolve(socket));
    // The listener stays after the connection is open: a later failure is handled by the code that reads or writes
    // the socket, and must not become an unhandled error.
    socket.on('error', () => resolve(undefined));
  });
}
