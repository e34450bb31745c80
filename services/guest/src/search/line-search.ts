// Finds the lines of one file that contain a text, through a window of fixed size: neither a large file nor an endless
// line takes more memory. Lines around a hit are kept in the window with it. A NUL byte ends the search, because the
// file is no text.
import { readSync } from 'node:fs';
import type { ContentSearchMatch } from '@berth/contract/guest';
import type { ByteText } from './byte-text.ts';
import { countLines, lineAfter, lineBefore, shownLine } from './window-lines.ts';

export type LineHit = Omit<ContentSearchMatch, 'path'>;

const windowBytes = 256 * 1024;
const lineFeed = 10;

// One window for the worker's lifetime: a worker searches one file after the other.
const window = Buffer.allocUnsafeSlow(windowBytes);

export class LineSearch {
  readonly #descriptor: number;
  readonly #text: ByteText;
  readonly #contextLines: number;
  readonly #found: (hit: LineHit) => boolean;
  #filled = 0;
  #searchedTo = 0;
  /** Number of the line at `#countedTo`. */
  #line = 1;
  #countedTo = 0;
  /** Bytes of the window's first line that are no longer in the window. */
  #goneBytes = 0;
  /** The line at `#searchedTo` has been reported, and its end was not in the window. */
  #isReported = false;

  constructor(descriptor: number, text: ByteText, contextLines: number, found: (hit: LineHit) => boolean) {
    this.#descriptor = descriptor;
    this.#text = text;
    this.#contextLines = contextLines;
    this.#found = found;
  }

  run(): void {
    for (;;) {
      const isLast = this.#fill();
      if (isLast === undefined) return;
      if (this.#isReported) this.#skipLine();
      const end = isLast ? this.#filled : this.#searchableEnd();
      if (!this.#searchTo(end) || isLast) return;
      this.#slide(end);
    }
  }

  /** True at the end of the file. Undefined when the file cannot be read. */
  #fill(): boolean | undefined {
    const room = windowBytes - this.#filled;
    try {
      const read = readSync(this.#descriptor, window, this.#filled, room, null);
      this.#filled += read;
      return read < room;
    } catch {
      return undefined;
    }
  }

  #skipLine(): void {
    const next = lineAfter(window, this.#searchedTo, this.#filled);
    this.#searchedTo = next ?? this.#filled;
    this.#isReported = next === undefined;
  }

  /** False when the search is over: no more hits are wanted, or the file is no text. */
  #searchTo(end: number): boolean {
    const from = this.#searchedTo;
    const latin = window.toString('latin1', from, end);
    if (latin.includes('\0')) return false;
    for (let at = from; at < end && !this.#isReported; ) {
      const inText = this.#text.next(latin, at - from);
      if (inText < 0) break;
      const hit = from + inText;
      if (!this.#found(this.#hitAt(hit))) return false;
      const next = lineAfter(window, hit, this.#filled);
      this.#isReported = next === undefined;
      at = next ?? end;
    }
    return true;
  }

  #hitAt(hit: number): LineHit {
    this.#line += countLines(window, this.#countedTo, hit);
    this.#countedTo = hit;
    const start = lineBefore(window, hit);
    const column = hit - start + (start === 0 ? this.#goneBytes : 0) + 1;
    const found: LineHit = { line: this.#line, column, text: shownLine(window, start, this.#filled, hit) };
    if (this.#contextLines > 0) found.context = this.#context(start, found.text);
    return found;
  }

  #context(start: number, text: string): string {
    const lines = [text];
    for (let count = 0, first = start; count < this.#contextLines && first > 0; count += 1) {
      first = lineBefore(window, first - 1);
      lines.unshift(shownLine(window, first, this.#filled));
    }
    let next = lineAfter(window, start, this.#filled);
    for (let count = 0; count < this.#contextLines && next !== undefined && next < this.#filled; count += 1) {
      lines.push(shownLine(window, next, this.#filled));
      next = lineAfter(window, next, this.#filled);
    }
    return lines.join('\n');
  }

  /**
   * Searches only so far that the context lines after a hit are in the window too; with too few lines, to the last one
   * or to the end.
   */
  #searchableEnd(): number {
    let end = this.#filled;
    for (let count = 0; count <= this.#contextLines; count += 1) {
      const newLine = window.lastIndexOf(lineFeed, count === 0 ? end - 1 : end - 2);
      if (newLine < this.#searchedTo) return end;
      end = newLine + 1;
    }
    return end;
  }

  /** Moves the bytes that are still needed to the front: those not yet searched, and the context lines before them. */
  #slide(end: number): void {
    const done = this.#isReported ? end : this.#doneTo(end);
    this.#line += countLines(window, this.#countedTo, done);
    const keepFrom = this.#contextStart(done);
    const start = lineBefore(window, keepFrom);
    this.#goneBytes = keepFrom - start + (start === 0 ? this.#goneBytes : 0);
    window.copyWithin(0, keepFrom, this.#filled);
    this.#filled -= keepFrom;
    this.#searchedTo = done - keepFrom;
    this.#countedTo = this.#searchedTo;
  }

  /** In a line whose end is not in the window, a hit may begin in the searched bytes and end in the next ones. */
  #doneTo(end: number): number {
    if (window[end - 1] === lineFeed) return end;
    return Math.max(this.#searchedTo, lineBefore(window, end), end - this.#text.maxBytes + 1);
  }

  /** Start of the lines before `at` that a later hit may need as context, at most half a window back. */
  #contextStart(at: number): number {
    let start = at;
    for (let count = 0; count < this.#contextLines && start > 0; count += 1) {
      const before = lineBefore(window, start - 1);
      if (at - before > windowBytes / 2) break;
      start = before;
    }
    return start;
  }
}
