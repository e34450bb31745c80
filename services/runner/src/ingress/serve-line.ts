// One connection of a gateway: a line that says who it is, an answer, then tunnels, each to a container.
import type { TLSSocket } from 'node:tls';
import { LineRequest, type TunnelAnswer, TunnelRequest } from '@berth/contract';
import { Bundle, type Channel, type Leases, parseLine, readLine } from '@berth/wire';
import { dial } from './dial.ts';
import { joinSockets } from './join-sockets.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { TunnelTally } from './tunnel-tally.ts';
import type { WaitingRoom } from './waiting-room.ts';

type Answer = TunnelAnswer['tunnel'];

export interface LineTools {
  readonly secrets: KnownSecrets;
  readonly leases: Leases;
  readonly tally: TunnelTally;
  readonly waitingRoom: WaitingRoom;
  /** The runner stops. */
  readonly isLeaving: () => boolean;
}

const mostLineBytes = 4_096;

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
  if (!secrets.isKnown(secret)) {
    tally.answer('refused');
    // The deadline of the room still holds: a gateway that does not hang up is hung up on.
    socket.resume();
    socket.end(`${wordsOf('refused')}\n`);
    return;
  }
  waitingRoom.leave(socket);
  socket.write(`${wordsOf('open')}\n`);
  new Bundle(socket, {
    onOpen(words, channel, answer) {
      // The secret is looked at again for every tunnel: a connection may be older than the session.
      const wanted = secrets.isKnown(secret) ? parseLine(words, TunnelRequest) : undefined;
      void serveTunnel(wanted, channel, (said) => answer(wordsOf(said)), tools);
    },
  });
}

async function serveTunnel(
  request: TunnelRequest | undefined,
  channel: Channel,
  say: (answer: Answer) => void,
  tools: LineTools,
): Promise<void> {
  const answer = request === undefined ? 'refused' : await open(request.instance, channel, () => say('open'), tools);
  tools.tally.answer(answer);
  if (answer === 'open') return;
  say(answer);
  channel.destroy();
}

/** The lease is in use from before the container is called: an instance that is asked to go in between waits for it. */
async function open(instance: string, channel: Channel, welcome: () => void, tools: LineTools): Promise<Answer> {
  const { leases, tally, isLeaving } = tools;
  if (isLeaving()) return 'leaving';
  const lease = await leases.on(instance);
  if (lease === undefined || lease.isOver) return 'unknown';
  const breakOff = (): void => channel.break('the tunnel broke');
  const endUse = lease.use(breakOff);
  const container = await dial(lease.place);
  if (container === undefined) {
    endUse();
    return 'unreachable';
  }
  welcome();
  const endTunnel = tally.begin();
  // As a gateway that connects itself would be seen to leave: whether in the midst of something, HTTP tells.
  const far = { socket: container, reset: (): void => void container.destroy() };
  void joinSockets({ socket: channel, reset: breakOff }, far).then(() => {
    endUse();
    endTunnel();
  });
  return 'open';
}

const wordsOf = (tunnel: Answer): string => JSON.stringify({ tunnel } satisfies TunnelAnswer);
