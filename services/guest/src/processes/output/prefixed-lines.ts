// Output as lines `stdout:…` and `stderr:…`. Each line has its prefix once, wherever the pieces were cut. A line is
// held until it is complete, so that the other stream does not end up in the middle of it; a very long line is passed
// on as it arrives, and the other stream waits for its end.
import { bytesPerMb } from '@berth/contract/guest';
import { gapText } from './piece-text.ts';
import type { Piece } from './process-output.ts';

type Stream = 'stdout' | 'stderr';

const defaultMaxHeldBytes = bytesPerMb;
const lineFeed = 0x0a;
const lineEnd = Buffer.from('\n');
const prefixes = { stdout: Buffer.from('stdout:'), stderr: Buffer.from('stderr:') };

export class PrefixedLines {
  readonly #maxHeldBytes: number;
  readonly #held: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  readonly #heldBytes: Record<Stream, number> = { stdout: 0, stderr: 0 };
  /** The stream whose line has begun and not ended. */
  #open: Stream | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #out: Buffer[] = [];

  constructor(maxHeldBytes = defaultMaxHeldBytes) {
    this.#maxHeldBytes = maxHeldBytes;
  }

  /** True between two lines, where another line may be inserted. */
  get isAtLineStart(): boolean {
    return this.#open === undefined;
  }

  take(pieces: readonly Piece[]): Buffer {
    for (const piece of pieces) {
      if (piece.kind === 'output') {
        this.#takeBytes(piece.stream, piece.bytes);
        continue;
      }
      if (piece.kind === 'gap' || piece.breaks) this.#endLines();
      this.#line('stdout', [Buffer.from(piece.kind === 'gap' ? gapText(piece) : piece.text)], false);
    }
    return this.#taken();
  }

  /** Returns the rest of lines that were never ended. */
  end(): Buffer {
    this.#endLines();
    return this.#taken();
  }

  #taken(): Buffer {
    const bytes = Buffer.concat(this.#out);
    this.#out = [];
    return bytes;
  }

  #takeBytes(stream: Stream, bytes: Buffer): void {
    let at = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, at)) {
      this.#line(stream, [...this.#release(stream), bytes.subarray(at, end)], true);
      at = end + 1;
    }
    if (at < bytes.length) this.#hold(stream, bytes.subarray(at));
  }

  /** Writes a whole line, or the end of the open one. A marker never ends an open line. */
  #line(stream: Stream, line: readonly Buffer[], mayEndOpen: boolean): void {
    if (this.#open === undefined) {
      this.#out.push(prefixes[stream], ...line, lineEnd);
      return;
    }
    if (this.#open === stream && mayEndOpen) {
      this.#out.push(...line);
      this.#closeLine();
      return;
    }
    this.#waiting.push(prefixes[stream], ...line, lineEnd);
    this.#waitingBytes += line.reduce((sum, { length }) => sum + length, 0);
    if (this.#waitingBytes > this.#maxHeldBytes) this.#closeLine();
  }

  #hold(stream: Stream, bytes: Buffer): void {
    if (this.#open === stream) {
      this.#out.push(bytes);
      return;
    }
    // A copy: the piece is part of a larger buffer, which would stay in memory for a few bytes of it.
    this.#held[stream].push(Buffer.from(bytes));
    this.#heldBytes[stream] += bytes.length;
    if (this.#heldBytes[stream] <= this.#maxHeldBytes) return;
    // Two endless lines at once: one has to be cut, or it would fill the memory.
    if (this.#open !== undefined) this.#closeLine();
    this.#out.push(prefixes[stream], ...this.#release(stream));
    this.#open = stream;
  }

  #release(stream: Stream): Buffer[] {
    const held = this.#held[stream];
    this.#held[stream] = [];
    this.#heldBytes[stream] = 0;
    return held;
  }

  #closeLine(): void {
    this.#out.push(lineEnd, ...this.#waiting);
    this.#open = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #endLines(): void {
    if (this.#open !== undefined) this.#closeLine();
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#heldBytes[stream] > 0) this.#line(stream, this.#release(stream), true);
    }
  }
}
