// One connection of a gateway: a line that says who it is, an answer, then tunnels, each to a container.
import type { TLSSocket } from 'node:tls';
import { LineRequest, RunnerCallRequest, type TunnelAnswer, TunnelRequest } from '@berth/contract';
import { Bundle, type Channel, type Leases, NotDispatched, parseLine, readLine } from '@berth/wire';
import { dial } from './dial.ts';
import type { Right } from './ingress-messages.ts';
import { joinSockets } from './join-sockets.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { passCall } from './pass-call.ts';
import type { TunnelTally } from './tunnel-tally.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface LineTools {
  readonly secrets: KnownSecrets;
  readonly leases: Leases;
  /** Where calls are passed on to. */
  readonly localSocket: string;
  readonly tally: TunnelTally;
  readonly waitingRoom: WaitingRoom;
  /** The runner stops. */
  readonly isLeaving: () => boolean;
}

const mostLineBytes = 4_096;
const open: TunnelAnswer = { tunnel: 'open' };
const refused: TunnelAnswer = { tunnel: 'refused' };

export async function serveLine(socket: TLSSocket, tools: LineTools): Promise<void> {
  const { secrets, waitingRoom, tally } = tools;
  // It may break at any time; whoever reads it, or the room, sees that it closed.
  socket.on('error', () => {});
  waitingRoom.enter(socket);
  const request = parseLine(await readLine(socket, mostLineBytes), LineRequest);
  if (request === undefined) {
    socket.destroy();
    return;
  }
  const { secret } = request;
  if (secrets.rightsOf(secret).size === 0) {
    tally.answer('refused');
    // The deadline of the room still holds: a gateway that does not hang up is hung up on.
    socket.resume();
    socket.end(`${JSON.stringify(refused)}\n`);
    return;
  }
  waitingRoom.leave(socket);
  socket.write(`${JSON.stringify(open)}\n`);
  new Bundle(socket, {
    onOpen(words, channel, answer) {
      // The secret is looked at again for every tunnel: a connection may be older than the session.
      void serveChannel(
        { words, rights: secrets.rightsOf(secret) },
        channel,
        (said) => answer(JSON.stringify(said)),
        tools,
      );
    },
  });
}

interface Asked {
  readonly words: string;
  readonly rights: ReadonlySet<Right>;
}

async function serveChannel(
  { words, rights }: Asked,
  channel: Channel,
  say: (answer: TunnelAnswer) => void,
  tools: LineTools,
): Promise<void> {
  const welcome = (): void => say(open);
  const call = parseLine(words, RunnerCallRequest);
  const wanted = parseLine(words, TunnelRequest);
  let answer: TunnelAnswer = refused;
  if (rights.size > 0 && tools.isLeaving()) answer = { tunnel: 'leaving' };
  else if (call !== undefined && rights.has('calls')) answer = await passCall(call.call, channel, welcome, tools);
  else if (wanted !== undefined && rights.has('tunnels')) answer = await openTunnel(wanted, channel, welcome, tools);
  tools.tally.answer(answer.tunnel);
  if (answer.tunnel === 'open') return;
  say(answer);
  channel.destroy();
}

/** The lease is in use from before the container is called: an instance that is asked to go in between waits for it. */
async function openTunnel(
  { instance, port }: TunnelRequest,
  channel: Channel,
  welcome: () => void,
  { leases, tally }: LineTools,
): Promise<TunnelAnswer> {
  const lease = await leases.on(instance).catch(busyOnly);
  if (lease instanceof NotDispatched) return { tunnel: 'busy', retryAfterSeconds: lease.retryAfterSeconds };
  if (lease === undefined || lease.isOver) return { tunnel: 'unknown' };
  const breakOff = (): void => channel.break('the tunnel broke');
  const endUse = lease.use(breakOff);
  const container = await dial({ ...lease.place, ...(port === undefined ? {} : { port }) });
  if (container === undefined) {
    endUse();
    return { tunnel: 'unreachable' };
  }
  welcome();
  const endTunnel = tally.begin();
  // As a gateway that connects itself would be seen to leave: whether in the midst of something, HTTP tells.
  const far = { socket: container, reset: (): void => void container.destroy() };
  void joinSockets({ socket: channel, reset: breakOff }, far).then(() => {
    endUse();
    endTunnel();
  });
  return open;
}

function busyOnly(error: unknown): NotDispatched {
  if (error instanceof NotDispatched) return error;
  throw error;
}
