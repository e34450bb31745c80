import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export class ClientGone extends Error {}

/** A request with neither a length nor chunks has no body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Copy of the client's body stream for undici. undici destroys a body after sending it, and destroying the request
 * itself would close the client's connection. Holds no more than one chunk beyond its high water mark.
 */
export class RequestBody extends Readable {
  readonly #source: IncomingMessage;
  readonly #take: (chunk: Buffer) => void;
  #isReading = false;

  constructor(source: IncomingMessage, take: (chunk: Buffer) => void) {
    super();
    this.#source = source;
    this.#take = take;
  }

  /** True when the client is the slow side, and not a workload that reads slowly. */
  get isClientLate(): boolean {
    return this.#isReading && !this.#source.complete && !this.#source.isPaused();
  }

  override _read(): void {
    if (!this.#isReading) {
      this.#isReading = true;
      this.#source.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose);
    }
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#isReading) {
      this.#source.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
      this.#source.pause();
    }
    done(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#take(chunk);
    if (!this.destroyed && !this.push(chunk)) this.#source.pause();
  };

  readonly #onEnd = (): void => void this.push(null);

  readonly #onClose = (): void => {
    if (!this.#source.complete) this.destroy(new ClientGone('the client went away within its body'));
  };
}
