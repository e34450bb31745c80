// Tunnels that share one connection, so that a tunnel costs neither a handshake nor the memory of a connection. No
// tunnel blocks another: a side sends no more on a tunnel than the other side has room for.
import type { Duplex } from 'node:stream';
import { Channel, type FrameSender } from './channel.ts';
import { type FrameKind, FrameReader, frameHead } from './frame.ts';

export interface BundleOptions {
  /**
   * The other side requests a tunnel with `words`. `answer` sends the reply; after any reply
   * but `open` the handler ends it.
   */
  readonly onOpen?: (words: string, channel: Channel, answer: (words: string) => void) => void;
}

const noBytes = Buffer.alloc(0);
/** A smaller payload is copied behind its head, because one write costs less than two. */
const maxCopiedBytes = 8_192;

export class Bundle implements FrameSender {
  readonly #socket: Duplex;
  readonly #options: BundleOptions;
  readonly #channels = new Map<number, Channel>();
  readonly #pendingAnswers = new Map<number, (words: string | undefined) => void>();
  #lastId = 0;
  #isCorked = false;
  #drained: Promise<void> | undefined;

  constructor(socket: Duplex, options: BundleOptions = {}) {
    this.#socket = socket;
    this.#options = options;
    const reader = new FrameReader({ frame: (kind, id, payload) => this.#receive(kind, id, payload) });
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.read(chunk);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : undefined);
      }
    });
    // A half-closed connection opens no new tunnels and can finish no old one, so it is destroyed.
    socket.once('end', () => socket.destroy()).once('close', () => this.#close());
  }

  /** Number of tunnels that are open or requested. */
  get size(): number {
    return this.#channels.size;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /** `answer` resolves to undefined when the connection breaks first. */
  open(words: string): { readonly channel: Channel; readonly answer: Promise<string | undefined> } {
    this.#lastId += 1;
    const id = this.#lastId;
    const channel = new Channel(this, id);
    this.#channels.set(id, channel);
    const answer = new Promise<string | undefined>((resolve) => this.#pendingAnswers.set(id, resolve));
    this.send(id, 'open', Buffer.from(words));
    return { channel, answer };
  }

  /** Closes the connection at once, with all its tunnels. */
  destroy(): void {
    this.#socket.destroy();
  }

  send(id: number, kind: FrameKind, payload = noBytes): void {
    if (!this.isOpen) return;
    // Frames of the same event loop turn leave as one write.
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    const head = frameHead(kind, id, payload.length);
    if (payload.length > 0 && payload.length <= maxCopiedBytes) {
      this.#socket.write(Buffer.concat([head, payload]));
      return;
    }
    this.#socket.write(head);
    if (payload.length > 0) this.#socket.write(payload);
  }

  drained(): Promise<void> | undefined {
    if (!this.#socket.writableNeedDrain) return undefined;
    this.#drained ??= new Promise((resolve) => {
      const end = (): void => {
        this.#drained = undefined;
        this.#socket.off('drain', end).off('close', end);
        resolve();
      };
      this.#socket.on('drain', end).on('close', end);
    });
    return this.#drained;
  }

  closed(id: number): void {
    this.#channels.delete(id);
    this.#pendingAnswers.get(id)?.(undefined);
    this.#pendingAnswers.delete(id);
  }

  #receive(kind: FrameKind, id: number, payload: Buffer): void {
    if (kind === 'open') this.#receiveOpen(id, payload.toString());
    else if (kind === 'answer') {
      this.#pendingAnswers.get(id)?.(payload.toString());
      this.#pendingAnswers.delete(id);
    }
    // A frame for an unknown id is ignored: the tunnel has ended here, and the other side has not received that yet.
    else this.#channels.get(id)?.receive(kind, payload);
  }

  #receiveOpen(id: number, words: string): void {
    const { onOpen } = this.#options;
    if (onOpen === undefined || id <= this.#lastId) throw new Error('no tunnel can be asked for here');
    this.#lastId = id;
    const channel = new Channel(this, id);
    // The tunnel may break at any time; its reader sees that it closed.
    channel.on('error', () => {});
    this.#channels.set(id, channel);
    onOpen(words, channel, (answer) => this.send(id, 'answer', Buffer.from(answer)));
  }

  #close(): void {
    for (const channel of [...this.#channels.values()]) channel.break('the connection broke', true);
  }
}
