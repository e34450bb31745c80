// A call of the api is passed on to the runner's own process: it knows the instances, this one knows only bytes.
import { connect, type Socket } from 'node:net';
import type { RunnerCallName, TunnelAnswer } from '@berth/contract';
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
    // Stays: what breaks later is seen by whoever reads or writes it.
    socket.on('error', () => resolve(undefined));
  });
}
