import { Duplex } from 'node:stream';
import type { FrameKind } from './frame.ts';

/**
 * Flow-control window: the bytes a side may send unacknowledged, and so the most held for a tunnel with a slow reader.
 */
const windowBytes = 128 * 1024;
const maxFrameBytes = 64 * 1024;

export interface FrameSender {
  send(id: number, kind: FrameKind, payload?: Buffer): void;
  /** Undefined when the connection takes more data now. */
  drained(): Promise<void> | undefined;
  closed(id: number): void;
}

/** One tunnel among those that share a connection. It ends and breaks like a separate socket. */
export class Channel extends Duplex {
  readonly id: number;
  readonly #sender: FrameSender;
  /** Bytes that may still be sent, and the write that waits for credit. */
  #credit = windowBytes;
  #waiting: { readonly chunk: Buffer; readonly done: (error?: Error) => void } | undefined;
  /** Bytes received and not yet credited to the other side. */
  #uncredited = 0;
  #isFull = false;
  #hasEnded = false;
  #hasPeerEnded = false;

  constructor(sender: FrameSender, id: number) {
    super({ allowHalfOpen: true });
    this.#sender = sender;
    this.id = id;
  }

  /** Handles a frame of the other side. Throws on a violation of the protocol. */
  receive(kind: FrameKind, payload: Buffer): void {
    if (kind === 'data') this.#receiveData(payload);
    if (kind === 'credit') {
      this.#credit += payload.readUInt32BE(0);
      this.#flush();
    }
    if (kind === 'end') {
      this.#hasPeerEnded = true;
      this.push(null);
    }
    if (kind === 'reset') this.break('the other side has broken off', true);
  }

  /** Sends no reset when the other side is gone or has itself reset the tunnel. */
  break(why: string, isKnownToPeer = false): void {
    if (isKnownToPeer) [this.#hasEnded, this.#hasPeerEnded] = [true, true];
    this.destroy(Object.assign(new Error(why), { code: 'ECONNRESET' }));
  }

  override _read(): void {
    this.#isFull = false;
    this.#giveCredit();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#waiting = { chunk, done };
    this.#flush();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#hasEnded = true;
    this.#sender.send(this.id, 'end');
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#hasEnded || !this.#hasPeerEnded) this.#sender.send(this.id, 'reset');
    this.#waiting = undefined;
    this.#sender.closed(this.id);
    done(error);
  }

  #receiveData(payload: Buffer): void {
    this.#uncredited += payload.length;
    if (this.#hasPeerEnded || this.#uncredited > windowBytes) throw new Error('more than was allowed');
    this.#isFull = !this.push(payload);
    this.#giveCredit();
  }

  /** Sends credit only for a quarter of the window or more, not for every few bytes. */
  #giveCredit(): void {
    if (this.#isFull || this.#uncredited < windowBytes / 4) return;
    const credit = Buffer.allocUnsafe(4);
    credit.writeUInt32BE(this.#uncredited);
    this.#uncredited = 0;
    this.#sender.send(this.id, 'credit', credit);
  }

  #flush(): void {
    while (this.#waiting !== undefined && this.#credit > 0) {
      const { chunk, done } = this.#waiting;
      const piece = chunk.subarray(0, Math.min(this.#credit, maxFrameBytes));
      this.#credit -= piece.length;
      this.#sender.send(this.id, 'data', piece);
      const rest = chunk.subarray(piece.length);
      this.#waiting = rest.length > 0 ? { chunk: rest, done } : undefined;
      if (rest.length === 0) this.#finish(done);
    }
  }

  /** Completes the write when the connection has drained: back-pressure. */
  #finish(done: () => void): void {
    const drained = this.#sender.drained();
    if (drained === undefined) done();
    else void drained.then(done);
  }
}
