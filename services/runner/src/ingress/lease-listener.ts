// Local socket on which a gateway on the same machine, or an ingress process, asks for a container's address or makes
// a call. The mode of the socket file is the credential.
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { LeaseRequest, RunnerCallRequest } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { parseLine, readLine } from '@berth/wire';
import { listen } from './listen.ts';
import { type CallTools, serveCall } from './serve-call.ts';
import { type LeaseTools, serveLease } from './serve-lease.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface LocalTools extends LeaseTools, CallTools {
  readonly waitingRoom: WaitingRoom;
  readonly logger: Logger;
}

const maxLineBytes = 4_096;

/**
 * Returns a function that closes the listener. A socket file left by an earlier run would block the path and is
 * removed.
 */
export async function startLeaseListener(path: string, tools: LocalTools): Promise<() => void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    serve(socket, tools).catch((err: unknown) => {
      socket.destroy();
      tools.logger.warn({ err }, 'request on the local socket failed; connection closed');
    });
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  await listen(server, { path }, (err) =>
    tools.logger.warn({ err }, 'connection to the local socket could not be accepted'),
  );
  await chmod(path, 0o600);
  return () => void server.close();
}

async function serve(socket: Socket, tools: LocalTools): Promise<void> {
  const { waitingRoom } = tools;
  socket.on('error', () => {});
  if (waitingRoom.isFullFor(socket)) {
    socket.destroy();
    return;
  }
  waitingRoom.enter(socket);
  const line = await readLine(socket, maxLineBytes);
  waitingRoom.leave(socket);
  const lease = parseLine(line, LeaseRequest);
  if (lease !== undefined) return serveLease(socket, lease.instance, tools);
  const asked = parseLine(line, RunnerCallRequest);
  if (asked !== undefined) return serveCall(socket, asked.call, tools);
  socket.destroy();
}
