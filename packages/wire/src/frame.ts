// Many tunnels on one connection: the data of each is cut into frames with a kind, a tunnel number and a length.

export const frameKinds = ['open', 'answer', 'data', 'end', 'reset', 'credit'] as const;
export type FrameKind = (typeof frameKinds)[number];

export interface FrameSink {
  /** `payload` is the whole payload of a frame; for `data` it may be only a part. */
  frame(kind: FrameKind, id: number, payload: Buffer): void;
}

const headBytes = 8;
/** Largest payload of every kind but `data`. */
const maxControlBytes = 4_096;
/** A smaller piece is copied: otherwise it would keep the whole buffer that it was read with in memory. */
const minSharedBytes = 2_048;

export function frameHead(kind: FrameKind, id: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt8(frameKinds.indexOf(kind), 0);
  head.writeUInt32BE(id, 1);
  head.writeUIntBE(length, 5, 3);
  return head;
}

/** Parses the received bytes into frames. Throws on a violation of the protocol. */
export class FrameReader {
  readonly #sink: FrameSink;
  #kind: FrameKind = 'data';
  #id = 0;
  /** Bytes of the current payload still to come. */
  #remaining = 0;
  /** Incomplete head or control payload. */
  #incomplete: Buffer | undefined;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  read(chunk: Buffer): void {
    let rest = this.#incomplete === undefined ? chunk : Buffer.concat([this.#incomplete, chunk]);
    this.#incomplete = undefined;
    while (rest.length > 0) {
      const taken = this.#remaining > 0 ? this.#payload(rest) : this.#head(rest);
      if (taken === 0) {
        this.#incomplete = Buffer.from(rest);
        return;
      }
      rest = rest.subarray(taken);
    }
  }

  #head(bytes: Buffer): number {
    if (bytes.length < headBytes) return 0;
    const kind = frameKinds[bytes.readUInt8(0)];
    this.#id = bytes.readUInt32BE(1);
    this.#remaining = bytes.readUIntBE(5, 3);
    if (kind === undefined || (kind !== 'data' && this.#remaining > maxControlBytes)) throw new Error('no such frame');
    this.#kind = kind;
    if (this.#remaining === 0) this.#sink.frame(kind, this.#id, bytes.subarray(0, 0));
    return headBytes;
  }

  #payload(bytes: Buffer): number {
    if (this.#kind !== 'data' && bytes.length < this.#remaining) return 0;
    const piece = bytes.subarray(0, this.#remaining);
    this.#remaining -= piece.length;
    this.#sink.frame(this.#kind, this.#id, piece.length < minSharedBytes ? Buffer.from(piece) : piece);
    return piece.length;
  }
}
