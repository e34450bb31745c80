// Serves one connection of a gateway or an api: first a line and its answer, then tunnels, each to a container, and
// calls.
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import {
  agreeOn,
  ConnectionRequest,
  RunnerCallRequest,
  type TunnelAnswer,
  TunnelRequest,
  wireProtocol,
} from '@berth/contract/node';
import { Bundle, type Channel, type Leases, NotDispatched, parseLine, readLine } from '@berth/wire';
import { isValid, type Right, rightsOf } from './caller-rights.ts';
import { dial } from './dial.ts';
import { joinSockets } from './join-sockets.ts';
import { passCall } from './pass-call.ts';
import type { TunnelTally } from './tunnel-tally.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface LineTools {
  readonly authority: X509Certificate;
  readonly leases: Leases;
  /** Socket of the runner's own process, to which calls are passed on. */
  readonly localSocket: string;
  readonly tally: TunnelTally;
  readonly waitingRoom: WaitingRoom;
  /** True while the runner stops. */
  readonly isLeaving: () => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const maxLineBytes = 4_096;
const open: TunnelAnswer = { tunnel: 'open' };
const refused: TunnelAnswer = { tunnel: 'refused' };

export async function serveLine(socket: TLSSocket, tools: LineTools): Promise<void> {
  const { authority, waitingRoom, tally, now } = tools;
  // The connection may break at any time; its reader or the waiting room sees that it closed.
  socket.on('error', () => {});
  waitingRoom.enter(socket);
  const request = parseLine(await readLine(socket, maxLineBytes), ConnectionRequest);
  if (request === undefined) {
    socket.destroy();
    return;
  }
  const certificate = socket.getPeerX509Certificate();
  const rights = rightsOf(certificate, authority, now());
  const isStranger = certificate === undefined || rights.length === 0;
  if (isStranger || agreeOn(wireProtocol, request.protocol) === undefined) {
    tally.answer('refused');
    // The deadline of the waiting room still applies: it closes a connection that the gateway leaves open.
    socket.resume();
    // A stranger learns nothing about the runner.
    socket.end(`${JSON.stringify(isStranger ? refused : { ...refused, protocol: wireProtocol })}\n`);
    return;
  }
  waitingRoom.leave(socket);
  socket.write(`${JSON.stringify({ ...open, protocol: wireProtocol } satisfies TunnelAnswer)}\n`);
  new Bundle(socket, {
    onOpen(words, channel, answer) {
      // A connection may outlive its certificate: open tunnels continue, and no new ones are opened.
      const asked = { words, rights: isValid(certificate, now()) ? rights : [] };
      void serveChannel(asked, channel, (said) => answer(JSON.stringify(said)), tools);
    },
  });
}

interface Asked {
  readonly words: string;
  readonly rights: readonly Right[];
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
  if (rights.length > 0 && tools.isLeaving()) answer = { tunnel: 'leaving' };
  else if (call !== undefined && rights.includes('calls')) answer = await passCall(call.call, channel, welcome, tools);
  else if (wanted !== undefined && rights.includes('tunnels'))
    answer = await openTunnel(wanted, channel, welcome, tools);
  tools.tally.answer(answer.tunnel);
  if (answer.tunnel === 'open') return;
  say(answer);
  channel.destroy();
}

/**
 * The lease is marked as used before the container is dialled, so that an instance that is drained in between waits
 * for this tunnel.
 */
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
  const container = await dial({ ...lease.endpoint, ...(port === undefined ? {} : { port }) });
  if (container === undefined) {
    endUse();
    return { tunnel: 'unreachable' };
  }
  welcome();
  const endTunnel = tally.begin();
  // The container sees the same close as from a gateway that connects directly; HTTP shows whether a request was cut
  // off.
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
