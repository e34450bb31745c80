// Writes an answer to its client, at the pace of the client. A short answer goes out as one piece with its head; the head of a
// stream does not wait for the first event.
import type { ServerResponse } from 'node:http';

/** Where the bytes come from. */
export interface AnswerSource {
  pause(): void;
  resume(): void;
}

const nothing = Buffer.alloc(0);
/** Up to this size, copying the bytes costs less than a second piece in the same write. */
const maxShortBytes = 16 * 1024;

export class AnswerWriter {
  readonly #response: ServerResponse;
  readonly #source: AnswerSource;
  #isHeadFlushed = false;
  #isFull = false;
  /** First chunk, held back because it may be the whole body. */
  #first: Buffer | undefined;

  constructor(response: ServerResponse, source: AnswerSource) {
    this.#response = response;
    this.#source = source;
  }

  /** Throws for headers that may not be sent; nothing is written then. */
  begin(status: number, reason: string, headers: string[]): void {
    this.#response.writeHead(status, reason, headers);
    process.nextTick(flush, this);
  }

  write(chunk: Buffer): void {
    if (!this.#isHeadFlushed && this.#first === undefined && chunk.length <= maxShortBytes) {
      this.#first = chunk;
      return;
    }
    this.flush();
    this.#send(chunk);
  }

  end(): void {
    // As text, the body joins the head, and both become one string for one system call.
    if (this.#isHeadFlushed || this.#first === undefined) this.#response.end();
    else this.#response.end(this.#first.toString('latin1'), 'latin1');
    this.#isHeadFlushed = true;
  }

  flush(): void {
    if (this.#isHeadFlushed || this.#response.destroyed) return;
    this.#isHeadFlushed = true;
    // `flushHeaders` would write bytes above ASCII as UTF-8.
    this.#send(this.#first ?? nothing);
    this.#first = undefined;
  }

  /** The source is not resumed any more. */
  stop(): void {
    this.#response.off('drain', this.#onDrain);
  }

  #send(bytes: Buffer): void {
    if (this.#response.write(bytes) || this.#isFull) return;
    this.#isFull = true;
    this.#source.pause();
    this.#response.once('drain', this.#onDrain);
  }

  readonly #onDrain = (): void => {
    this.#isFull = false;
    this.#source.resume();
  };
}

/** One function for all answers. */
const flush = (writer: AnswerWriter): void => writer.flush();
