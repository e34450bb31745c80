// One container's address, lent by the runner on the same machine. The connection on which it was asked for is the lease:
// while it is open the runner does not stop the container.
import { connect, type Socket } from 'node:net';
import { LeaseAnswer } from '@berth/contract';
import { parseLine, readLine } from '@berth/wire';

const mostAnswerBytes = 4_096;

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface LeaseOptions {
  readonly socketPath: string;
  readonly instance: string;
  readonly answerMs: number;
  /** How long it is kept after its last connection has closed. */
  readonly keepMs: number;
  /** The runner wants it back, or it was kept long enough: nothing new may use it. */
  readonly onOver: () => void;
}

export class Lease {
  readonly place: Place;
  readonly #socket: Socket;
  readonly #options: LeaseOptions;
  #users = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  /** Undefined when there is no runner on this machine, or the instance is not its. */
  static async ask(options: LeaseOptions): Promise<Lease | undefined> {
    // Half open: the runner asks for the lease by ending its side, and we end ours when the last connection is done.
    const socket = connect({ path: options.socketPath, allowHalfOpen: true });
    socket.on('error', () => {});
    const timer = setTimeout(() => socket.destroy(), options.answerMs);
    socket.write(`${JSON.stringify({ instance: options.instance })}\n`);
    const answer = parseLine(await readLine(socket, mostAnswerBytes), LeaseAnswer);
    clearTimeout(timer);
    if (answer?.lease === 'held' && !socket.destroyed)
      return new Lease(socket, { host: answer.address, port: answer.port }, options);
    socket.destroy();
    return undefined;
  }

  private constructor(socket: Socket, place: Place, options: LeaseOptions) {
    this.#socket = socket;
    this.place = place;
    this.#options = options;
    socket.once('end', () => this.#end()).once('close', () => this.#end());
    socket.resume();
    this.#keepFor();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns what ends the use. */
  use(): () => void {
    this.#users += 1;
    clearTimeout(this.#timer);
    return () => {
      this.#users -= 1;
      if (this.#users > 0) return;
      if (this.#isOver) this.#socket.end();
      else this.#keepFor();
    };
  }

  close(): void {
    this.#end();
    this.#socket.destroy();
  }

  #keepFor(): void {
    this.#timer = setTimeout(() => this.#end(), this.#options.keepMs).unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onOver();
    if (this.#users === 0) this.#socket.end();
  }
}
