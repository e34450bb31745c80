// Docker cuts a line at 16 KB and writes the pieces as entries of their own. This puts them together again, stream by
// stream. It remembers nothing else, so that reading the same entries again gives the same lines.
import type { LogLine } from '@berth/contract';
import type { LogEntry } from './log-entry.ts';

export type JoinedLine = Omit<LogLine, 'sequence'>;

/** What the node protocol takes as one line; a longer one is cut. */
const mostCharacters = 262_144;
/** A piece this long goes on; a shorter one without a line break is the end of the stream. */
const pieceBytes = 16_384;

export class LineJoiner {
  readonly #pending = new Map<LogEntry['stream'], JoinedLine>();

  /** Between two lines, with nothing begun: from here reading can start again. */
  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  add({ text, stream, timeNs }: LogEntry): JoinedLine[] {
    const isEnd = text.endsWith('\n') || Buffer.byteLength(text) < pieceBytes;
    const piece = { stream, timeNs, text: text.replace(/\n$/, '').slice(0, mostCharacters) };
    const begun = this.#pending.get(stream);
    const isTooLong = begun !== undefined && begun.text.length + piece.text.length > mostCharacters;
    const line = begun === undefined || isTooLong ? piece : { ...begun, text: begun.text + piece.text };
    if (isEnd) this.#pending.delete(stream);
    else this.#pending.set(stream, line);
    return [...(isTooLong ? [begun] : []), ...(isEnd ? [line] : [])];
  }

  /** Nothing more comes. */
  flush(): JoinedLine[] {
    const rest = [...this.#pending.values()];
    this.#pending.clear();
    return rest;
  }
}
