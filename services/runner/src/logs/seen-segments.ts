// Docker deletes its oldest file when it rotates, sent or not. The files that were noticed while sending was blocked
// show how much output was lost.
import type { Segment } from './log-source.ts';

interface Seen {
  readonly id: string;
  readonly size: number;
  /** True if nothing was added to the file after it was noticed. */
  readonly isFinal: boolean;
}

/** Placeholder for files that may have been created and deleted between two looks. */
const unseen: Seen = { id: '', size: 0, isFinal: false };

export class SeenSegments {
  /** In the order they were written. */
  #seen: readonly Seen[] = [];

  /** Records `segments` as they are now, oldest first. */
  notice(segments: readonly Segment[]): void {
    const ids = new Set(segments.map(({ id }) => id));
    const isConnected = this.#seen.length === 0 || this.#seen.some(({ id }) => ids.has(id));
    this.#seen = [
      ...this.#seen.filter(({ id }) => !ids.has(id)),
      ...(isConnected ? [] : [unseen]),
      ...segments.map(({ id, size }, index) => ({ id, size, isFinal: index < segments.length - 1 })),
    ];
  }

  /**
   * Line that replaces the output lost between the file that was read and the oldest one left; undefined if nothing
   * is lost.
   */
  gapAfter(read: string, left: readonly Segment[]): string | undefined {
    const ids = new Set(left.map(({ id }) => id));
    if (ids.has(read)) return undefined;
    const at = this.#seen.findIndex(({ id }) => id === read);
    const gone = at === -1 ? [unseen] : this.#seen.slice(at + 1).filter(({ id }) => !ids.has(id));
    if (gone.length === 0) return undefined;
    const bytes = gone.reduce((sum, { size }) => sum + size, 0);
    if (bytes === 0) return '[output was lost before it could be sent]';
    const isExact = gone.every(({ isFinal }) => isFinal);
    return `[${isExact ? '' : 'at least '}${bytes} bytes of output were lost before they could be sent]`;
  }

  /** Drops the files before this one: they have been read. */
  forgetBefore(id: string): void {
    const at = this.#seen.findIndex((segment) => segment.id === id);
    if (at > 0) this.#seen = this.#seen.slice(at);
  }
}
