import type { Socket } from 'node:net';

/** Time for a new connection to identify itself and to send its first line, from the first packet on. */
const patienceMs = 5_000;
const maxWaiting = 1_024;
/** Limit per address, so that one machine cannot keep out the gateways of others. */
const maxPerAddress = 256;

/**
 * Connections that have not sent their first line yet. Their number and their time are limited, so that unknown
 * callers cannot fill the machine.
 */
export class WaitingRoom {
  readonly #waiting = new Map<Socket, { readonly deadline: NodeJS.Timeout; readonly address: string }>();
  readonly #fromAddress = new Map<string, number>();

  /** Connections over a local socket have no address. */
  isFullFor({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): boolean {
    const fromThere = remoteAddress === '' ? 0 : (this.#fromAddress.get(remoteAddress) ?? 0);
    return this.#waiting.size >= maxWaiting || fromThere >= maxPerAddress;
  }

  enter(socket: Socket): void {
    const { remoteAddress: address = '' } = socket;
    const deadline = setTimeout(() => socket.destroy(), patienceMs);
    this.#waiting.set(socket, { deadline, address });
    this.#fromAddress.set(address, (this.#fromAddress.get(address) ?? 0) + 1);
    socket.once('close', () => this.leave(socket));
  }

  leave(socket: Socket): void {
    const entry = this.#waiting.get(socket);
    if (entry === undefined) return;
    clearTimeout(entry.deadline);
    this.#waiting.delete(socket);
    const left = (this.#fromAddress.get(entry.address) ?? 0) - 1;
    if (left > 0) this.#fromAddress.set(entry.address, left);
    else this.#fromAddress.delete(entry.address);
  }

  close(): void {
    for (const socket of [...this.#waiting.keys()]) socket.destroy();
  }
}
