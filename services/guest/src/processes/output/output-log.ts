// Reads the logs that the helper writes: sequences of files named after the logical offset of their first byte
// (native/PROTOCOL.md). Files may be added at the tail and deleted from the head between any two calls here. Reads are
// small, of what was just written, so they are synchronous: cheaper than a trip through the thread pool.
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../http/fault.ts';

export type LogName = 'stdout' | 'stderr' | 'all';

export type LogChunk = {
  /** Offset of the first byte. Later than requested when the bytes there are no longer kept. */
  from: number;
  bytes: Buffer;
  /** The file ends here and another one follows: an unfinished record at the end stays unfinished. */
  closed: boolean;
};

const offsetDigits = 16;
const maxTries = 8;

export class OutputLog {
  readonly #folder: string;
  readonly #name: LogName;

  constructor(folder: string, name: LogName) {
    this.#folder = folder;
    this.#name = name;
  }

  /** Offsets of the first bytes of the kept files, in order. */
  fileStarts(): number[] {
    const prefix = `${this.#name}-`;
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
    return names
      .filter((name) => name.startsWith(prefix) && name.length === prefix.length + offsetDigits)
      .map((name) => Number.parseInt(name.slice(prefix.length), 16))
      .filter((start) => Number.isSafeInteger(start))
      .sort((a, b) => a - b);
  }

  /** Offsets of the kept bytes. Both 0 when nothing was ever written. */
  extent(): { start: number; end: number } {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const starts = this.fileStarts();
      const last = starts.at(-1);
      if (last === undefined) return { start: 0, end: 0 };
      const size = this.#sizeAt(last);
      if (size !== undefined) return { start: starts[0] ?? last, end: last + size };
    }
    return { start: 0, end: 0 };
  }

  /** At most `maxBytes` of one file, from this offset or the next that is kept; undefined when there are none yet. */
  read(from: number, maxBytes: number): LogChunk | undefined {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const starts = this.#startsAround(from);
      const inside = starts.findLast((start) => start <= from);
      const next = starts.find((start) => start > from);
      if (inside !== undefined) {
        const stretch = this.#readFile(inside, from, maxBytes, next !== undefined);
        if (stretch === undefined) continue;
        if (stretch.bytes.length > 0) return stretch;
      }
      if (next === undefined) return undefined;
      const stretch = this.#readFile(next, next, maxBytes, starts.at(-1) !== next);
      // Returned even when empty: its offset shows how much is gone.
      if (stretch !== undefined) return stretch;
    }
    return undefined;
  }

  /** Bytes on disk. */
  keptBytes(): number {
    return this.fileStarts().reduce((sum, start) => sum + (this.#sizeAt(start) ?? 0), 0);
  }

  deleteFile(start: number): void {
    try {
      unlinkSync(this.path(start));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }

  path(start: number): string {
    return join(this.#folder, `${this.#name}-${start.toString(16).padStart(offsetDigits, '0')}`);
  }

  /**
   * A file that appears while the folder is read may be missed although a later one is seen. So the folder is read a
   * second time before bytes are reported as gone.
   */
  #startsAround(from: number): number[] {
    const starts = this.fileStarts();
    const seemsGone = starts.some((start) => start > from) && !starts.includes(from);
    return seemsGone ? this.fileStarts() : starts;
  }

  #sizeAt(start: number): number | undefined {
    return statSync(this.path(start), { throwIfNoEntry: false })?.size;
  }

  /** Undefined when the file was deleted meanwhile. */
  #readFile(start: number, from: number, maxBytes: number, isClosed: boolean): LogChunk | undefined {
    let descriptor: number;
    try {
      descriptor = openSync(this.path(start), 'r');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const left = Math.max(0, fstatSync(descriptor).size - (from - start));
      const bytes = Buffer.allocUnsafe(Math.min(left, maxBytes));
      let size = 0;
      while (size < bytes.length) {
        const count = readSync(descriptor, bytes, size, bytes.length - size, from - start + size);
        if (count === 0) break;
        size += count;
      }
      return { from, bytes: bytes.subarray(0, size), closed: isClosed && size === left };
    } finally {
      closeSync(descriptor);
    }
  }
}
