// One connection of a gateway: a line that says who and what, an answer, then the bytes of a container, or of many.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ChannelRequest, type TunnelAnswer, TunnelRequest } from '@berth/contract';
import { Bundle, type Channel, type Leases, parseLine, readLine } from '@berth/wire';
import { dial } from './dial.ts';
import { joinSockets, type Side } from './join-sockets.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { TunnelTally } from './tunnel-tally.ts';
import type { WaitingRoom } from './waiting-room.ts';

type Answer = TunnelAnswer['tunnel'];

export interface TunnelTools {
  readonly secrets: KnownSecrets;
  readonly leases: Leases;
  readonly tally: TunnelTally;
  readonly waitingRoom: WaitingRoom;
  /** The runner stops. */
  readonly isLeaving: () => boolean;
}

interface Manner {
  /** Says that it is open. */
  welcome(): void;
  /** When the gateway has not said everything. */
  breakOff(container: Socket): void;
}

const mostLineBytes = 4_096;

/** `raw` is what carries the encrypted `socket`: only it can be reset. */
export async function serveTunnel(socket: TLSSocket, raw: Socket, tools: TunnelTools): Promise<void> {
  const { secrets, waitingRoom, tally } = tools;
  // It may break at any time; whoever reads it, or the room, sees that it closed.
  socket.on('error', () => {});
  waitingRoom.enter(socket);
  const request = parseLine(await readLine(socket, mostLineBytes), TunnelRequest);
  if (request === undefined) {
    socket.destroy();
    return;
  }
  const { secret, instance } = request;
  const isKnown = secrets.isKnown(secret);
  const welcome = (): void => {
    waitingRoom.leave(socket);
    socket.write(`${wordsOf('open')}\n`);
  };
  if (isKnown && instance === undefined) {
    welcome();
    serveBundle(socket, secret, tools);
    return;
  }
  const gateway = { socket, reset: () => void raw.resetAndDestroy() };
  const manner = { welcome, breakOff: (container: Socket) => void container.resetAndDestroy() };
  const answer = isKnown && instance !== undefined ? await open(gateway, instance, tools, manner) : 'refused';
  tally.answer(answer);
  if (answer === 'open') return;
  // The deadline of the room still holds: a gateway that does not hang up is hung up on.
  socket.resume();
  socket.end(`${wordsOf(answer)}\n`);
}

function serveBundle(socket: TLSSocket, secret: string, tools: TunnelTools): void {
  new Bundle(socket, {
    onOpen(words, channel, answer) {
      void serveChannel(words, channel, (said) => answer(wordsOf(said)), { ...tools, secret });
    },
  });
}

/** The secret is looked at again for every tunnel: a connection may be older than the session. */
async function serveChannel(
  words: string,
  channel: Channel,
  say: (answer: Answer) => void,
  tools: TunnelTools & { readonly secret: string },
): Promise<void> {
  const request = parseLine(words, ChannelRequest);
  const gateway = { socket: channel, reset: () => channel.break('the tunnel broke') };
  const isKnown = request !== undefined && tools.secrets.isKnown(tools.secret);
  // As a gateway that connects itself would be seen to leave: whether in the midst of something, HTTP tells.
  const manner = { welcome: () => say('open'), breakOff: (container: Socket) => void container.destroy() };
  const answer = isKnown ? await open(gateway, request.instance, tools, manner) : 'refused';
  tools.tally.answer(answer);
  if (answer === 'open') return;
  say(answer);
  channel.destroy();
}

/** The lease is in use from before the container is called: an instance that is asked to go in between waits for it. */
async function open(gateway: Side, instance: string, tools: TunnelTools, manner: Manner): Promise<Answer> {
  const { leases, tally, isLeaving } = tools;
  if (isLeaving()) return 'leaving';
  const lease = await leases.on(instance);
  if (lease === undefined || lease.isOver) return 'unknown';
  const endUse = lease.use(() => gateway.reset());
  const container = await dial(lease.place);
  if (container === undefined) {
    endUse();
    return 'unreachable';
  }
  manner.welcome();
  const endTunnel = tally.begin();
  void joinSockets(gateway, { socket: container, reset: () => manner.breakOff(container) }).then(() => {
    endUse();
    endTunnel();
  });
  return 'open';
}

const wordsOf = (tunnel: Answer): string => JSON.stringify({ tunnel } satisfies TunnelAnswer);
