// Joins the pieces of a line: Docker cuts a line at 16 KB and writes each piece as a separate entry. Each stream is
// joined by itself, and no other state is kept, so that reading the same entries again gives the same lines.
import type { LogLine } from '@berth/contract/node';
import type { LogEntry } from './log-entry.ts';

export type JoinedLine = Omit<LogLine, 'sequence'>;

/** Longest line that the node protocol takes; a longer one is cut. */
const maxCharacters = 262_144;
/** A piece of this length is continued by the next; a shorter one without a line break is the end of the stream. */
const pieceBytes = 16_384;

export class LineJoiner {
  readonly #pending = new Map<LogEntry['stream'], JoinedLine>();

  /** True between two lines, when no line is incomplete: reading can be resumed from here. */
  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  add({ text, stream, timeNs }: LogEntry): JoinedLine[] {
    const isEnd = text.endsWith('\n') || Buffer.byteLength(text) < pieceBytes;
    const piece = { stream, timeNs, text: text.replace(/\n$/, '').slice(0, maxCharacters) };
    const begun = this.#pending.get(stream);
    const isTooLong = begun !== undefined && begun.text.length + piece.text.length > maxCharacters;
    const line = begun === undefined || isTooLong ? piece : { ...begun, text: begun.text + piece.text };
    if (isEnd) this.#pending.delete(stream);
    else this.#pending.set(stream, line);
    return [...(isTooLong ? [begun] : []), ...(isEnd ? [line] : [])];
  }

  /** Returns the incomplete lines; nothing more follows. */
  flush(): JoinedLine[] {
    const rest = [...this.#pending.values()];
    this.#pending.clear();
    return rest;
  }
}
