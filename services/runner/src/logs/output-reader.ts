// Reads the output of one instance as numbered lines, starting at a cursor. The number of a line depends only on what
// was written before it.
import type { LogLine } from '@berth/contract/node';
import { LineJoiner } from './line-joiner.ts';
import type { Cursor } from './log-cursor.ts';
import { parseEntry } from './log-entry.ts';
import type { LogSource, Segment } from './log-source.ts';
import { SeenSegments } from './seen-segments.ts';
import { SegmentFile } from './segment-file.ts';

export interface Batch {
  readonly lines: readonly LogLine[];
  /** Position to continue from once the lines are stored. */
  readonly cursor: Cursor;
  /** True if this batch and those before it hold everything that was ever written to the source. */
  readonly isEnd: boolean;
}

const maxBatchLines = 1_000;
/** Leaves room for one more line of the maximum length: together they make a megabyte. */
const maxBatchBytes = 786_432;

export class OutputReader {
  readonly #joiner = new LineJoiner();
  readonly #seen = new SeenSegments();
  #file: SegmentFile | undefined;
  /** True once the file is not written to any more, so that its end is final. */
  #isFileFinal = false;
  #cursor: Cursor;
  #sequence: number;
  #lines: LogLine[] = [];
  #bytes = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#sequence = cursor.sequence;
  }

  async read(source: LogSource): Promise<Batch> {
    this.#lines = [];
    this.#bytes = 0;
    if (source.container !== this.#cursor.container) this.#begin(source.container);
    let isEnd = false;
    while (!isEnd && this.#lines.length < maxBatchLines && this.#bytes < maxBatchBytes) {
      const line = await this.#file?.nextLine();
      if (line !== undefined) this.#add(line);
      else if (!(await this.#goOn(source))) {
        isEnd = source.isEnded;
        break;
      }
    }
    if (isEnd) for (const rest of this.#joiner.flush()) this.#push(rest);
    if (isEnd) this.#markSafe();
    return { lines: this.#lines, cursor: this.#cursor, isEnd };
  }

  /** Called while nothing can be sent, so that the amount of lost output is known later. */
  async notice(source: LogSource): Promise<void> {
    this.#seen.notice(await source.segments());
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  #begin(container: string): void {
    this.#cursor = { container, segment: '', offset: 0, sequence: this.#sequence };
  }

  /** Moves on in the source. False if there is nothing more to read, for now or at all. */
  async #goOn(source: LogSource): Promise<boolean> {
    const reading = this.#file?.id ?? this.#cursor.segment;
    const segments = await source.segments(reading);
    this.#seen.notice(segments);
    if (this.#file === undefined) return this.#open(source, segments);
    const at = segments.findIndex(({ id }) => id === reading);
    if (at === segments.length - 1 && !source.isEnded && at !== -1) return false;
    // The file may have been written to between the last read and its rotation, so it is read once more, as final.
    if (!this.#isFileFinal) {
      this.#isFileFinal = true;
      return true;
    }
    const next = segments[at + 1];
    if (next === undefined) return false;
    const gap = this.#seen.gapAfter(reading, segments);
    return this.#enter(source, next, 0, gap);
  }

  #open(source: LogSource, segments: readonly Segment[]): Promise<boolean> {
    const { segment, offset } = this.#cursor;
    const known = segments.find(({ id, size }) => id === segment && size >= offset);
    if (known !== undefined) return this.#enter(source, known, offset, undefined);
    const [oldest] = segments;
    if (oldest === undefined) return Promise.resolve(false);
    return this.#enter(source, oldest, 0, segment === '' ? undefined : this.#seen.gapAfter(segment, segments));
  }

  async #enter(source: LogSource, segment: Segment, offset: number, gap: string | undefined): Promise<boolean> {
    const file = await SegmentFile.open(segment, offset, !source.isEnded);
    if (file === undefined) return false;
    await this.close();
    this.#file = file;
    this.#isFileFinal = false;
    this.#seen.forgetBefore(segment.id);
    if (gap !== undefined) this.#mark(gap);
    this.#markSafe();
    return true;
  }

  /** Adds a line about a gap. An incomplete line before the gap is pushed first: its other half is lost. */
  #mark(text: string): void {
    for (const rest of this.#joiner.flush()) this.#push(rest);
    this.#push({ stream: 'stderr', timeNs: `${Date.now()}000000`, text });
  }

  #add(line: string): void {
    const entry = parseEntry(line);
    if (entry !== undefined) for (const joined of this.#joiner.add(entry)) this.#push(joined);
    this.#markSafe();
  }

  #push(line: Omit<LogLine, 'sequence'>): void {
    this.#lines.push({ ...line, sequence: this.#sequence });
    this.#sequence += 1;
    this.#bytes += Buffer.byteLength(line.text);
  }

  /** Moves the cursor here, but never into the middle of a line: a restart has to read the line from its beginning. */
  #markSafe(): void {
    if (!this.#joiner.isEmpty || this.#file === undefined) return;
    const { id, offset } = this.#file;
    this.#cursor = { container: this.#cursor.container, segment: id, offset, sequence: this.#sequence };
  }
}
