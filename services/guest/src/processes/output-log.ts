// Reads the logs that the helper writes: rows of files named after the logical offset of their first byte
// (native/PROTOCOL.md). Files may be added at the tail and deleted from the head between any two calls here. Reads are
// small, of what was just written, so they are synchronous: cheaper than a trip through the thread pool.
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../http/fault.ts';

export type LogName = 'stdout' | 'stderr' | 'all';

export type Stretch = {
  /** Of its first byte. Later than asked for when what was there is no longer kept. */
  from: number;
  bytes: Buffer;
  /** The file goes on no further, and another one follows: what is unfinished here stays so. */
  closed: boolean;
};

const DIGITS = 16;
const MOST_TRIES = 8;

export class OutputLog {
  readonly #folder: string;
  readonly #name: LogName;

  constructor(folder: string, name: LogName) {
    this.#folder = folder;
    this.#name = name;
  }

  /** First bytes of the files that are kept, in order. */
  starts(): number[] {
    const prefix = `${this.#name}-`;
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
    return names
      .filter((name) => name.startsWith(prefix) && name.length === prefix.length + DIGITS)
      .map((name) => Number.parseInt(name.slice(prefix.length), 16))
      .filter((start) => Number.isSafeInteger(start))
      .sort((a, b) => a - b);
  }

  /** What is kept. Both 0 when nothing was ever written. */
  extent(): { start: number; end: number } {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const starts = this.starts();
      const last = starts.at(-1);
      if (last === undefined) return { start: 0, end: 0 };
      const size = this.#sizeAt(last);
      if (size !== undefined) return { start: starts[0] ?? last, end: last + size };
    }
    return { start: 0, end: 0 };
  }

  /** At most so many bytes of one file, from this offset or from the next that is kept; undefined when there are none yet. */
  read(from: number, mostBytes: number): Stretch | undefined {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const starts = this.#startsAround(from);
      const inside = starts.findLast((start) => start <= from);
      const next = starts.find((start) => start > from);
      if (inside !== undefined) {
        const stretch = this.#readFile(inside, from, mostBytes, next !== undefined);
        if (stretch === undefined) continue;
        if (stretch.bytes.length > 0) return stretch;
      }
      if (next === undefined) return undefined;
      const stretch = this.#readFile(next, next, mostBytes, starts.at(-1) !== next);
      // Also without a byte in it: it says how much is gone.
      if (stretch !== undefined) return stretch;
    }
    return undefined;
  }

  /** Bytes on disk. */
  kept(): number {
    return this.starts().reduce((sum, start) => sum + (this.#sizeAt(start) ?? 0), 0);
  }

  deleteFile(start: number): void {
    try {
      unlinkSync(this.path(start));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }

  path(start: number): string {
    return join(this.#folder, `${this.#name}-${start.toString(16).padStart(DIGITS, '0')}`);
  }

  /**
   * A file that appears while the folder is read may be missed although a later one is seen. So before bytes are called gone, the
   * folder is read a second time.
   */
  #startsAround(from: number): number[] {
    const starts = this.starts();
    const seemsGone = starts.some((start) => start > from) && !starts.includes(from);
    return seemsGone ? this.starts() : starts;
  }

  #sizeAt(start: number): number | undefined {
    return statSync(this.path(start), { throwIfNoEntry: false })?.size;
  }

  /** Undefined when it was deleted meanwhile. */
  #readFile(start: number, from: number, mostBytes: number, isClosed: boolean): Stretch | undefined {
    let descriptor: number;
    try {
      descriptor = openSync(this.path(start), 'r');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const left = Math.max(0, fstatSync(descriptor).size - (from - start));
      const bytes = Buffer.allocUnsafe(Math.min(left, mostBytes));
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
