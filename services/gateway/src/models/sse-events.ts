// Splits a stream of server-sent events (HTML standard, section 9.2). Pure.
import { GrowingBytes } from './growing-bytes.ts';

export class SseEvent {
  /** With the blank line that ends the event. */
  readonly bytes: Buffer;
  readonly #isFirst: boolean;

  constructor(bytes: Buffer, isFirst: boolean) {
    this.bytes = bytes;
    this.#isFirst = isFirst;
  }

  /** Lines of data, joined; undefined for an event without data, such as a comment. Read at each call. */
  get data(): string | undefined {
    const text = this.bytes.toString();
    const lines = (this.#isFirst && text.startsWith(byteOrderMark) ? text.slice(1) : text).split(lineEnd);
    const data = lines.flatMap((line) => {
      const found = dataField.exec(line);
      return found === null ? [] : [line.slice(found[0].length)];
    });
    return data.length === 0 ? undefined : data.join('\n');
  }
}

const byteOrderMark = '\u{feff}';
const lineEnd = /\r\n|\n|\r/;
const dataField = /^data(?:: ?|$)/;

interface SplitEvents {
  readonly complete: readonly SseEvent[];
  /** Bytes of an event that became too long, and all bytes after them: the rest of the stream cannot be read. */
  readonly unread: readonly Buffer[];
}

/** Longest event that is kept until its end comes. */
const maxHeldBytes = 256 * 1024;

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/**
 * Takes chunks and gives complete events. How the stream is cut into chunks makes no difference: a carriage return at the
 * end of a chunk waits for the next byte, because a line feed there would belong to the same event.
 */
export class SseEvents {
  readonly #held = new GrowingBytes();
  #isFirst = true;
  #lineHasBytes = false;
  /** The last byte was a carriage return that ended a line, or with it the event. */
  #waits: 'line' | 'event' | undefined;
  #isUnreadable = false;

  push(chunk: Buffer): SplitEvents {
    if (this.#isUnreadable) return { complete: [], unread: [chunk] };
    const complete: SseEvent[] = [];
    let start = 0;
    for (const end of this.#eventEnds(chunk)) {
      complete.push(this.#eventWith(chunk.subarray(start, end)));
      start = end;
    }
    const rest = chunk.subarray(start);
    if (this.#held.length + rest.length <= maxHeldBytes) {
      this.#held.add(rest);
      return { complete, unread: [] };
    }
    this.#isUnreadable = true;
    return { complete, unread: [this.#held.take(), rest] };
  }

  /** The last event, when no blank line ended it. */
  end(): SseEvent | undefined {
    return this.#held.length === 0 ? undefined : this.#eventWith(Buffer.alloc(0));
  }

  #eventWith(last: Buffer): SseEvent {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (this.#held.length === 0) return new SseEvent(last, isFirst);
    this.#held.add(last);
    return new SseEvent(this.#held.take(), isFirst);
  }

  /** Positions behind the blank lines. Both signs are searched natively, and each part of the chunk once. */
  #eventEnds(chunk: Buffer): number[] {
    const ends: number[] = [];
    let at = 0;
    if (this.#waits !== undefined && chunk.length > 0) {
      if (chunk[0] === lineFeed) at = 1;
      if (this.#waits === 'event') ends.push(at);
      this.#waits = undefined;
    }
    let nextFeed = -1;
    let nextReturn = -1;
    while (at < chunk.length) {
      if (nextFeed < at) nextFeed = positionOf(lineFeed, chunk, at);
      if (nextReturn < at) nextReturn = positionOf(carriageReturn, chunk, at);
      const end = Math.min(nextFeed, nextReturn);
      if (end > at) this.#lineHasBytes = true;
      if (end === chunk.length) break;
      const isBlank = !this.#lineHasBytes;
      this.#lineHasBytes = false;
      at = end + 1;
      if (end === nextReturn && at === chunk.length) {
        this.#waits = isBlank ? 'event' : 'line';
        break;
      }
      if (end === nextReturn && chunk[at] === lineFeed) at += 1;
      if (isBlank) ends.push(at);
    }
    return ends;
  }
}

function positionOf(byte: number, chunk: Buffer, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found === -1 ? chunk.length : found;
}
