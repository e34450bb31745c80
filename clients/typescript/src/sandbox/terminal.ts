// A terminal of a sandbox, over a WebSocket. The session outlives a connection: a terminal of the same id continues it.
import { ConnectionError } from '../http/errors.ts';
import type { Guest } from './guest.ts';

/** Options of a terminal. */
export interface TerminalOptions {
  /** Names the session. */
  readonly sessionId?: string | undefined;
  /** Width in characters. */
  readonly cols?: number | undefined;
  /** Height in lines. */
  readonly rows?: number | undefined;
  /** Program; else that of the image. */
  readonly shell?: string | undefined;
  /** The working directory. */
  readonly cwd?: string | undefined;
  /** Called with what is shown. */
  readonly onOutput: (text: string) => void;
}

/** A terminal of a sandbox. `using` closes its connection. */
export class Terminal implements Disposable {
  readonly #socket: WebSocket;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;

  constructor(socket: WebSocket, closed: Promise<void>) {
    this.#socket = socket;
    this.closed = closed;
  }

  /** Types a text; `\r` is the Enter key. */
  write(text: string): void {
    this.#socket.send(JSON.stringify({ type: 'input', data: text }));
  }

  /** Tells the size of the window. */
  resize(cols: number, rows: number): void {
    this.#socket.send(JSON.stringify({ type: 'resize', cols, rows }));
  }

  /** Ends the connection; the session goes on for ten minutes. */
  close(): void {
    this.#socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export async function openTerminal(guest: Guest, { onOutput, cwd, ...options }: TerminalOptions): Promise<Terminal> {
  const query = new URLSearchParams();
  const settings = { ...options, workingDir: cwd, token: guest.key };
  for (const [name, value] of Object.entries(settings)) if (value !== undefined) query.set(name, String(value));
  const address = (await guest.address()).replace(/^http/, 'ws');
  const socket = new WebSocket(`${address}/terminal/ws?${query}`);
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()));
  socket.addEventListener('message', ({ data }) => {
    const frame: { type?: string; data?: string } = JSON.parse(String(data));
    if (frame.type === 'output' && frame.data !== undefined) onOutput(frame.data);
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    // A browser tells no reason here.
    socket.addEventListener('error', () => reject(unopened(address)));
  });
  return new Terminal(socket, closed);
}

const unopened = (address: string): ConnectionError =>
  new ConnectionError({
    code: 'terminal',
    status: undefined,
    message: `The terminal at ${address} could not be opened. Does the key reach the sandbox, and does the sandbox run?`,
  });
