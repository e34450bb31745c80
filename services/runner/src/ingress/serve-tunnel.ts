// One connection of a gateway: a line that says who and what, an answer, then the bytes of the container.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type TunnelAnswer, TunnelRequest } from '@berth/contract';
import { type Leases, parseLine, readLine } from '@berth/wire';
import { dial } from './dial.ts';
import { joinSockets, type Side } from './join-sockets.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { TunnelTally } from './tunnel-tally.ts';
import type { WaitingRoom } from './waiting-room.ts';

type GatewaySide = Side & { readonly socket: TLSSocket };
type Answer = TunnelAnswer['tunnel'];

export interface TunnelTools {
  readonly secrets: KnownSecrets;
  readonly leases: Leases;
  readonly tally: TunnelTally;
  readonly waitingRoom: WaitingRoom;
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
  const answer = secrets.isKnown(request.secret)
    ? await open({ socket, reset: () => raw.resetAndDestroy() }, request.instance, tools)
    : 'refused';
  tally.answer(answer);
  if (answer === 'open') return;
  // The deadline of the room still holds: a gateway that does not hang up is hung up on.
  socket.resume();
  socket.end(lineOf(answer));
}

/** The lease is in use from before the container is called: an instance that is asked to go in between waits for it. */
async function open(gateway: GatewaySide, instance: string, tools: TunnelTools): Promise<Answer> {
  const { leases, tally, waitingRoom } = tools;
  const lease = await leases.on(instance);
  if (lease === undefined || lease.isOver) return 'unknown';
  const endUse = lease.use(() => gateway.reset());
  const container = await dial(lease.place);
  if (container === undefined) {
    endUse();
    return 'unreachable';
  }
  waitingRoom.leave(gateway.socket);
  gateway.socket.write(lineOf('open'));
  const endTunnel = tally.begin();
  void joinSockets(gateway, { socket: container, reset: () => void container.resetAndDestroy() }).then(() => {
    endUse();
    endTunnel();
  });
  return 'open';
}

const lineOf = (tunnel: Answer): string => `${JSON.stringify({ tunnel } satisfies TunnelAnswer)}\n`;
