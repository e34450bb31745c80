// A lease of one container's address, from the runner on the same machine. The connection that requested it is the
// lease: while it is open the runner does not stop the container.
import { connect, type Socket } from 'node:net';
import { LeaseAnswer } from '@berth/contract/node';
import { NotDispatched } from './not-dispatched.ts';
import { parseLine } from './parse-line.ts';
import { readLine } from './read-line.ts';

const maxAnswerBytes = 4_096;

export interface LeaseOptions {
  readonly socketPath: string;
  readonly instance: string;
  readonly answerMs: number;
  /** Time that an unused lease is kept; the runner may revoke it sooner. */
  readonly keepMs: number;
  /** The runner revoked the lease, or it was unused for `keepMs`: no new request may use it. */
  readonly onOver: () => void;
}

export class Lease {
  /** Address of the container. */
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly #socket: Socket;
  readonly #options: LeaseOptions;
  readonly #users = new Set<{ readonly onCut: (() => void) | undefined }>();
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Undefined when this machine has no runner, or its runner does not have the instance. Throws `NotDispatched` when
   * the instance sleeps and the machine lacks the memory to wake it.
   */
  static async ask(options: LeaseOptions): Promise<Lease | undefined> {
    const socket = connect({ path: options.socketPath });
    socket.on('error', () => {});
    const timer = setTimeout(() => socket.destroy(), options.answerMs);
    socket.write(`${JSON.stringify({ instance: options.instance })}\n`);
    const answer = parseLine(await readLine(socket, maxAnswerBytes), LeaseAnswer);
    clearTimeout(timer);
    if (answer?.lease === 'held' && !socket.destroyed) {
      const keepMs = Math.min(options.keepMs, answer.keepMs ?? options.keepMs);
      return new Lease(socket, { host: answer.address, port: answer.port }, { ...options, keepMs });
    }
    socket.destroy();
    if (answer?.lease !== 'busy') return undefined;
    const { retryAfterSeconds } = answer;
    throw new NotDispatched('busy', 'the machine has no memory to wake it', { retryAfterSeconds });
  }

  private constructor(socket: Socket, endpoint: Lease['endpoint'], options: LeaseOptions) {
    this.#socket = socket;
    this.endpoint = endpoint;
    this.#options = options;
    // Any further data from the runner revokes the lease; a closed connection means that the container is gone.
    socket.once('data', () => this.#end()).once('close', () => this.#cut());
    socket.resume();
    this.#startIdleTimer();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Returns a function that ends the use. `onCut` is called when the runner closes the
   * lease without waiting for the user.
   */
  use(onCut?: () => void): () => void {
    const user = { onCut };
    this.#users.add(user);
    clearTimeout(this.#timer);
    return () => {
      if (!this.#users.delete(user) || this.#users.size > 0) return;
      if (this.#isOver) this.#socket.end();
      else this.#startIdleTimer();
    };
  }

  close(): void {
    this.#end();
    this.#users.clear();
    this.#socket.destroy();
  }

  #startIdleTimer(): void {
    this.#timer = setTimeout(() => this.#end(), this.#options.keepMs).unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onOver();
    if (this.#users.size === 0) this.#socket.end();
  }

  #cut(): void {
    this.#end();
    for (const { onCut } of [...this.#users]) onCut?.();
  }
}
