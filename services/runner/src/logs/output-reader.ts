// Reads one instance's output from wherever it was left, as numbered lines. The number of a line depends on nothing but what
// was written before it.
import type { LogLine } from '@berth/contract';
import { LineJoiner } from './line-joiner.ts';
import type { Cursor } from './log-cursor.ts';
import { parseEntry } from './log-entry.ts';
import type { LogSource, Segment } from './log-source.ts';
import { SeenSegments } from './lost-output.ts';
import { SegmentFile } from './segment-file.ts';

export interface Batch {
  readonly lines: readonly LogLine[];
  /** Where to go on once the lines are stored. */
  readonly cursor: Cursor;
  /** Everything that was ever written to the source is in this batch or was in one before. */
  readonly isEnd: boolean;
}

const mostLines = 1_000;
/** One more line of the longest makes a megabyte. */
const mostBytes = 786_432;

export class OutputReader {
  readonly #joiner = new LineJoiner();
  readonly #seen = new SeenSegments();
  #file: SegmentFile | undefined;
  /** The file is not written to any more: its end is its end. */
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
    while (!isEnd && this.#lines.length < mostLines && this.#bytes < mostBytes) {
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

  /** While nothing can be sent: so that it is known what was lost, if something is. */
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

  /** False when there is nothing to go on with, now or for ever. */
  async #goOn(source: LogSource): Promise<boolean> {
    const reading = this.#file?.id ?? this.#cursor.segment;
    const segments = await source.segments(reading);
    this.#seen.notice(segments);
    if (this.#file === undefined) return this.#open(source, segments);
    const at = segments.findIndex(({ id }) => id === reading);
    if (at === segments.length - 1 && !source.isEnded && at !== -1) return false;
    // It may have been written to between its last reading and its rotation: once more, knowing that it is final.
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

  /** Half a line before a gap has lost its other half. */
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

  /** Never in the middle of a line: its beginning has to be read again. */
  #markSafe(): void {
    if (!this.#joiner.isEmpty || this.#file === undefined) return;
    const { id, offset } = this.#file;
    this.#cursor = { container: this.#cursor.container, segment: id, offset, sequence: this.#sequence };
  }
}
