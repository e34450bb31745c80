// One connection of a gateway: a line that says who and what, an answer, then the bytes of the container.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type TunnelAnswer, TunnelRequest } from '@berth/contract';
import { parseLine, readLine } from '@berth/wire';
import { dial } from './dial.ts';
import type { Endpoints } from './endpoint.ts';
import type { IngressSecrets } from './ingress-secrets.ts';
import { joinSockets, type Side } from './join-sockets.ts';
import type { TrafficBook } from './traffic-book.ts';
import type { WaitingRoom } from './waiting-room.ts';

type GatewaySide = Side & { readonly socket: TLSSocket };
type Answer = TunnelAnswer['tunnel'];

export interface TunnelTools {
  readonly secrets: IngressSecrets;
  readonly instances: Endpoints;
  readonly traffic: TrafficBook;
  readonly waitingRoom: WaitingRoom;
  readonly onAnswer: (answer: Answer) => void;
}

const mostLineBytes = 4_096;

/** `raw` is what carries the encrypted `socket`: only it can be reset. */
export async function serveTunnel(socket: TLSSocket, raw: Socket, tools: TunnelTools): Promise<void> {
  const { secrets, waitingRoom, onAnswer } = tools;
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
  onAnswer(answer);
  if (answer === 'open') return;
  // The deadline of the room still holds: a gateway that does not hang up is hung up on.
  socket.resume();
  socket.end(lineOf(answer));
}

/** Counted from before the container is called: an instance that is asked to go in between waits for it. */
async function open(gateway: GatewaySide, instance: string, tools: TunnelTools): Promise<Answer> {
  const { instances, traffic, waitingRoom } = tools;
  const endpoint = instances.endpoint(instance);
  if (endpoint === undefined) return 'unknown';
  const end = traffic.begin(instance, { kind: 'tunnel', leave() {}, cut: () => gateway.reset() });
  const container = await dial(endpoint);
  if (container === undefined) {
    end();
    return 'unreachable';
  }
  waitingRoom.leave(gateway.socket);
  gateway.socket.write(lineOf('open'));
  void joinSockets(gateway, { socket: container, reset: () => void container.resetAndDestroy() }).then(end);
  return 'open';
}

const lineOf = (tunnel: Answer): string => `${JSON.stringify({ tunnel } satisfies TunnelAnswer)}\n`;
