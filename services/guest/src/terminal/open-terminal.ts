import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { bytesPerMb } from '@berth/contract/guest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '../caller.ts';
import { environment } from '../environment.ts';
import type { Guest } from '../guest.ts';
import { Fault } from '../http/fault.ts';
import { resolveGiven } from '../paths.ts';
import { chooseShell } from './choose-shell.ts';
import { closeCodes, serveTerminalClient } from './terminal-client.ts';
import { serverFrame, sideOf } from './terminal-frames.ts';
import { type SessionOptions, TerminalSessions } from './terminal-sessions.ts';

const maxFrameBytes = 4 * bytesPerMb;
const maxIdCharacters = 128;

export type TerminalRequest = {
  guest: Guest;
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  query: URLSearchParams;
  caller: Caller;
};

const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false });
const loaded = new WeakMap<Guest, Promise<TerminalSessions>>();

/** Also called at start when an earlier guest has left sessions: their idle time must be counted. */
export function terminalSessions(guest: Guest): Promise<TerminalSessions> {
  const sessions = loaded.get(guest) ?? TerminalSessions.load(guest);
  loaded.set(guest, sessions);
  return sessions;
}

export function openTerminal({ guest, request, socket, head, query, caller }: TerminalRequest): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
    server.handleUpgrade(request, socket, head, (client) => void serve(guest, client, query, caller));
  });
}

async function serve(guest: Guest, socket: WebSocket, query: URLSearchParams, caller: Caller): Promise<void> {
  socket.on('error', () => socket.terminate());
  // Input that arrives while the shell is being started waits in the socket.
  socket.pause();
  try {
    const id = query.get('sessionId') || 'default';
    if (id.length > maxIdCharacters) {
      throw new Fault(400, `A sessionId has at most ${maxIdCharacters} characters. Choose a shorter one.`);
    }
    const sessions = await terminalSessions(guest);
    const session = await sessions.open(id, () => optionsOf(guest, query));
    socket.resume();
    await serveTerminalClient({ guest, session, socket, caller });
  } catch (error) {
    const message = error instanceof Fault ? error.message : 'The terminal failed. The guest’s log holds the reason.';
    if (!(error instanceof Fault)) guest.log.line('guest', { level: 'error', error: String(error) });
    socket.resume();
    socket.send(serverFrame('error', message), () => socket.close(closeCodes.failed));
  }
}

function optionsOf({ settings }: Guest, query: URLSearchParams): SessionOptions {
  return {
    shell: chooseShell(query.get('shell') || undefined, environment),
    workingDirectory: resolveGiven(query.get('workingDir') || settings.workingDirectory, settings).absolute,
    inherited: environment,
    cols: sideOf(query.get('cols'), 80),
    rows: sideOf(query.get('rows'), 24),
  };
}
