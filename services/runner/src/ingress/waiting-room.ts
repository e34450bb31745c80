import type { Socket } from 'node:net';

/** For a stranger to say who it is and what it wants, from the first packet on. */
const patienceMs = 5_000;
const mostWaiting = 1_024;

/** Connections that have not said yet what they want: few, and not for long, so that strangers cannot fill the machine. */
export class WaitingRoom {
  readonly #waiting = new Map<Socket, NodeJS.Timeout>();

  get isFull(): boolean {
    return this.#waiting.size >= mostWaiting;
  }

  enter(socket: Socket): void {
    this.#waiting.set(
      socket,
      setTimeout(() => socket.destroy(), patienceMs),
    );
    socket.once('close', () => this.leave(socket));
  }

  leave(socket: Socket): void {
    clearTimeout(this.#waiting.get(socket));
    this.#waiting.delete(socket);
  }

  close(): void {
    for (const socket of [...this.#waiting.keys()]) socket.destroy();
  }
}
