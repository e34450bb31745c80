// Where a gateway on the same machine, or an ingress process, asks for a container's address. The connection is the lease: while it is open the
// container is not stopped. The file's mode is the credential.
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { type LeaseAnswer, type LeaseNotice, LeaseRequest } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import { parseLine, readLine } from '@berth/wire';
import type { Endpoints } from './endpoint.ts';
import { listen } from './listen.ts';
import type { TrafficBook } from './traffic-book.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface LeaseTools {
  readonly instances: Endpoints;
  readonly traffic: TrafficBook;
  readonly waitingRoom: WaitingRoom;
  readonly logger: Logger;
}

const mostLineBytes = 4_096;

/** Returns what closes it. The file of an earlier run is in the way, and is removed. */
export async function startLeaseListener(path: string, tools: LeaseTools): Promise<() => void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => void serveLease(socket, tools));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  await listen(server, { path }, (err) => tools.logger.warn({ err }, 'a lease could not be asked for'));
  await chmod(path, 0o600);
  return () => void server.close();
}

async function serveLease(socket: Socket, { instances, traffic, waitingRoom }: LeaseTools): Promise<void> {
  socket.on('error', () => {});
  if (waitingRoom.isFull) {
    socket.destroy();
    return;
  }
  waitingRoom.enter(socket);
  const request = parseLine(await readLine(socket, mostLineBytes), LeaseRequest);
  if (request === undefined) {
    socket.destroy();
    return;
  }
  const endpoint = instances.endpoint(request.instance);
  // Whatever else it says is not listened to; its end is.
  socket.once('end', () => socket.end()).resume();
  if (endpoint === undefined) {
    socket.end(lineOf({ lease: 'unknown' }));
    return;
  }
  waitingRoom.leave(socket);
  const end = traffic.begin(request.instance, {
    // Its holder sends nothing new there, and closes when what it has under way is done.
    leave() {
      if (socket.writable) socket.write(lineOf({ lease: 'over' }));
    },
    cut: () => void socket.destroy(),
  });
  socket.once('close', end);
  socket.write(lineOf({ lease: 'held', ...endpoint }));
}

const lineOf = (answer: LeaseAnswer | LeaseNotice): string => `${JSON.stringify(answer)}\n`;
