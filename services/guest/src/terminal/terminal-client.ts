// One socket that watches a session. Output is pulled from the log: a slow client holds one piece in memory, and a
// client that has fallen too far behind is shown the newest output instead, with a line that says so.
import { StringDecoder } from 'node:string_decoder';
import type { WebSocket } from 'ws';
import type { Caller } from '../caller.ts';
import type { Guest } from '../guest.ts';
import { readRecords, tailOf } from '../processes/output/log-records.ts';
import { replayBytes, replayOf } from './replay.ts';
import { parseClientFrame, serverFrame } from './terminal-frames.ts';
import type { TerminalSession } from './terminal-session.ts';
import { TypedLines } from './typed-lines.ts';

const pingMs = 30_000;
const maxBehindBytes = 512 * 1024;
const maxInputWaitingCharacters = 256 * 1024;
const droppedText = '\r\n\x1b[0m[output was dropped here: this client reads too slowly]\r\n';

export const closeCodes = { ended: 1000, badFrame: 1007, failed: 1011, restart: 1012 } as const;

type TerminalClient = { guest: Guest; session: TerminalSession; socket: WebSocket; caller: Caller };

export async function serveTerminalClient({ guest, session, socket, caller }: TerminalClient): Promise<void> {
  session.clients += 1;
  guest.log.audit('terminal_connect', caller, { session: session.id });
  const lines = new TypedLines((command) => {
    guest.log.audit('terminal_command', caller, { session: session.id, command });
  });
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  const onStop = () => socket.close(closeCodes.restart, 'the guest starts again');
  guest.stopping.addEventListener('abort', onStop);
  const stopPinging = keepPinging(socket);
  takeInput(socket, session, lines);
  try {
    await sendOutput({ guest, session, socket, gone: gone.signal, shown: (text) => lines.shown(text) });
    socket.close(closeCodes.ended, 'the shell has ended');
  } finally {
    stopPinging();
    guest.stopping.removeEventListener('abort', onStop);
    lines.end();
    session.clients -= 1;
    guest.log.audit('terminal_disconnect', caller, { session: session.id });
    if (session.clients === 0 && !session.isRunning) void session.ended.then(() => session.remove());
  }
}

type OutputTarget = {
  guest: Guest;
  session: TerminalSession;
  socket: WebSocket;
  gone: AbortSignal;
  shown: (text: string) => void;
};

/** Runs until the client is gone, or until the shell has ended and all its output is sent. */
async function sendOutput({ guest, session, socket, gone, shown }: OutputTarget): Promise<void> {
  const decoder = new StringDecoder('utf8');
  const replay = replayOf(session.log);
  let next = replay.next;
  if (replay.bytes.length > 0) await send(socket, decoder.write(replay.bytes));
  while (!gone.aborted) {
    const { end } = session.log.extent();
    const behind = end - next;
    if (behind > maxBehindBytes) {
      next = tailOf(session.log, replayBytes, end).at;
      decoder.end();
      await send(socket, droppedText);
    }
    const found = readRecords(session.log, next);
    if (found === undefined) {
      const record = guest.supervisor.record(session.key);
      if (record === undefined || record.exit !== undefined) return;
      await guest.supervisor.output(session.key, next, gone);
      continue;
    }
    if (found.from > next) await send(socket, droppedText);
    next = found.next;
    const text = decoder.write(Buffer.concat(found.records.map(({ bytes }) => bytes)));
    shown(text);
    if (text !== '') await send(socket, text);
  }
}

/** Resolves when the piece has been sent: back-pressure from a slow client. */
function send(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) resolve();
    else socket.send(serverFrame('output', text), () => resolve());
  });
}

function takeInput(socket: WebSocket, session: TerminalSession, lines: TypedLines): void {
  let waiting = 0;
  socket.on('message', (data: Buffer) => {
    const frame = parseClientFrame(data.toString('utf8'));
    if (frame === undefined) {
      socket.send(serverFrame('error', 'A frame is not JSON. Send {"type":"input","data":"…"}.'));
      socket.close(closeCodes.badFrame);
      return;
    }
    if (frame === 'unknown') return;
    if (frame.type === 'resize') {
      session.resize(frame.cols, frame.rows);
      return;
    }
    lines.typed(frame.data);
    // A program that does not read its input holds the sender back instead of filling the guest's memory.
    waiting += frame.data.length;
    if (waiting > maxInputWaitingCharacters) socket.pause();
    void session.write(frame.data).then(() => {
      waiting -= frame.data.length;
      if (socket.isPaused && waiting <= maxInputWaitingCharacters) socket.resume();
    });
  });
}

/** Finds a client that has vanished without closing its socket, so that its session may become idle. */
function keepPinging(socket: WebSocket): () => void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    // A paused client cannot answer.
    if (!answered && !socket.isPaused) socket.terminate();
    answered = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  timer.unref();
  return () => clearInterval(timer);
}
