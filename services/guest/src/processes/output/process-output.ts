// The output of one process over all its attempts, as one sequence of bytes. Each attempt has its own logs; a part
// stores where they begin in the whole. Markers are lines of the guest between two bytes of output: they are kept here,
// since the logs belong to the helper, and are inserted when the output is read.
import { join } from 'node:path';
import type { LogEnds } from '../../supervisor/supervisor.ts';
import { lastBoundary, readRecords, recordBoundary, recordBytes, tailOf } from './log-records.ts';
import { type LogName, OutputLog } from './output-log.ts';

export type Part = {
  /** Folder of the attempt's logs, inside the folder of the process. */
  name: string;
  /** Offsets where the part begins in the whole. */
  base: LogEnds;
  /** Length of the part, once another follows. Later output of a leftover is not shown, so that offsets stay. */
  ends?: LogEnds | undefined;
};

export type Marker = {
  /** In ascending order. */
  id: number;
  /** Offset in the log `all` of the whole. */
  at: number;
  text: string;
  /** Output after the marker never continues a line from before it. */
  breaks: boolean;
};

/** `next` is the offset of what follows. */
export type Piece = { next: number } & (
  | { kind: 'output'; stream: 'stdout' | 'stderr'; bytes: Buffer }
  | { kind: 'marker'; text: string; breaks: boolean }
  | { kind: 'gap'; bytes: number; atHead: boolean }
);

export type Cursor = {
  at: number;
  /** Id of the next marker to show. */
  marker: number;
  /** Bytes to leave out of the record at `at`. */
  cut: number;
};

export type StreamChunk = { from: number; bytes: Buffer; next: number };

export const outputStart: Cursor = { at: 0, marker: 0, cut: 0 };

export class ProcessOutput {
  readonly #folder: string;
  readonly #parts: readonly Part[];
  readonly #markers: readonly Marker[];

  /** The lists are read again by each call, because they grow while output is read. */
  constructor(folder: string, parts: readonly Part[], markers: readonly Marker[]) {
    this.#folder = folder;
    this.#parts = parts;
    this.#markers = markers;
  }

  logOf(part: Part, name: LogName): OutputLog {
    return new OutputLog(join(this.#folder, part.name), name);
  }

  /** Both streams in order, with markers and gaps. Undefined when there is nothing to read yet. */
  read(cursor: Cursor): { pieces: Piece[]; cursor: Cursor } | undefined {
    const marker = this.#markers.find(({ id }) => id >= cursor.marker);
    if (marker !== undefined && marker.at <= cursor.at) {
      const { text, breaks } = marker;
      return {
        pieces: [{ kind: 'marker', text, breaks, next: cursor.at }],
        cursor: { ...cursor, marker: marker.id + 1 },
      };
    }
    const part = this.#partAt('all', cursor.at);
    // The last attempt is over and the next has not begun.
    if (part === undefined || cursor.at >= endOf(part, 'all')) return undefined;
    const limit = Math.min(marker?.at ?? Number.POSITIVE_INFINITY, endOf(part, 'all'));
    const found = readRecords(this.logOf(part, 'all'), Math.max(0, cursor.at - part.base.all));
    // An attempt that is over gets no more output: bytes missing at its end are a gap.
    if (found === undefined && part.ends === undefined) return undefined;
    const from = Math.min(part.base.all + (found?.from ?? Number.POSITIVE_INFINITY), limit);
    const next = Math.min(part.base.all + (found?.next ?? Number.POSITIVE_INFINITY), limit);
    const pieces: Piece[] = [];
    if (from > cursor.at) pieces.push({ kind: 'gap', bytes: from - cursor.at, atHead: cursor.at === 0, next: from });
    for (const record of found?.records ?? []) {
      const at = part.base.all + record.at;
      if (at >= limit) break;
      const bytes = at === cursor.at ? record.bytes.subarray(cursor.cut) : record.bytes;
      pieces.push({ kind: 'output', stream: record.stream, bytes, next: at + recordBytes(record) });
    }
    return { pieces, cursor: { at: next, marker: cursor.marker, cut: 0 } };
  }

  /** One stream as it was written. Undefined when there is nothing to read yet. */
  readStream(name: 'stdout' | 'stderr', at: number, maxBytes: number): StreamChunk | undefined {
    const part = this.#partAt(name, at);
    if (part === undefined || at >= endOf(part, name)) return undefined;
    const end = endOf(part, name);
    const found = this.logOf(part, name).read(Math.max(0, at - part.base[name]), maxBytes);
    const from = part.base[name] + (found?.from ?? Number.POSITIVE_INFINITY);
    if (found === undefined || from >= end) {
      // A finished attempt has nothing more: continue with the next one.
      return end === Number.POSITIVE_INFINITY ? undefined : this.readStream(name, end, maxBytes);
    }
    const bytes = found.bytes.subarray(0, end - from);
    return { from, bytes, next: from + bytes.length };
  }

  /** Offset where the newest bytes of a stream begin. */
  streamTail(name: 'stdout' | 'stderr', maxBytes: number): number {
    return Math.max(0, this.end(name) - maxBytes);
  }

  /** Cursor where the newest bytes of output begin. */
  tail(maxBytes: number): Cursor {
    let left = maxBytes;
    for (const part of this.#parts.toReversed()) {
      const size = this.#sizeOf(part);
      if (size >= left) {
        const { at, cut } = tailOf(this.logOf(part, 'all'), left, part.ends?.all ?? Number.POSITIVE_INFINITY);
        return this.cursorAt(part.base.all + at, cut);
      }
      left -= size;
    }
    return outputStart;
  }

  /** A cursor at the start of a record. Every offset given to a caller is one; others are moved on to the next. */
  cursorNear(at: number): Cursor {
    const part = this.#partAt('all', at);
    if (part === undefined || at <= part.base.all) return this.cursorAt(at, 0);
    return this.cursorAt(part.base.all + recordBoundary(this.logOf(part, 'all'), at - part.base.all), 0);
  }

  /** A cursor for a reader that continues. Where its next byte is no longer kept, reading begins with the gap. */
  cursorToContinue(at: number): Cursor {
    const part = this.#partAt('all', at);
    const isKept = part === undefined || at - part.base.all >= this.logOf(part, 'all').extent().start;
    return isKept ? this.cursorNear(at) : this.cursorAt(at, 0);
  }

  cursorAt(at: number, cut: number): Cursor {
    return { at, cut, marker: this.#markers.find((marker) => marker.at >= at)?.id ?? this.#nextMarkerId() };
  }

  /** Bytes ever written. */
  end(name: LogName): number {
    const last = this.#parts.at(-1);
    return last === undefined ? 0 : last.base[name] + this.logOf(last, name).extent().end;
  }

  /** Offset of a marker that is made now. */
  markerOffset(): number {
    const last = this.#parts.at(-1);
    return last === undefined ? 0 : last.base.all + lastBoundary(this.logOf(last, 'all'));
  }

  #partAt(name: LogName, at: number): Part | undefined {
    return this.#parts.findLast((part) => part.base[name] <= at) ?? this.#parts[0];
  }

  /** Bytes of output, without the record heads of the stored form. */
  #sizeOf(part: Part): number {
    if (part.ends !== undefined) return part.ends.stdout + part.ends.stderr;
    return this.logOf(part, 'stdout').extent().end + this.logOf(part, 'stderr').extent().end;
  }

  #nextMarkerId(): number {
    return (this.#markers.at(-1)?.id ?? -1) + 1;
  }
}

function endOf(part: Part, name: LogName): number {
  return part.ends === undefined ? Number.POSITIVE_INFINITY : part.base[name] + part.ends[name];
}
