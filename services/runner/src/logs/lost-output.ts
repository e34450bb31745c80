// Docker deletes its oldest file when it rotates, sent or not. What was seen of the files while sending was held up tells
// how much of that was lost.
import type { Segment } from './log-source.ts';

interface Seen {
  readonly id: string;
  readonly size: number;
  /** Nothing was added after it was seen. */
  readonly isFinal: boolean;
}

/** Stands for files that may have come and gone between two looks. */
const unseen: Seen = { id: '', size: 0, isFinal: false };

export class SeenSegments {
  /** In the order they were written. */
  #seen: readonly Seen[] = [];

  /** `segments` as they are now, oldest first. */
  notice(segments: readonly Segment[]): void {
    const ids = new Set(segments.map(({ id }) => id));
    const isConnected = this.#seen.length === 0 || this.#seen.some(({ id }) => ids.has(id));
    this.#seen = [
      ...this.#seen.filter(({ id }) => !ids.has(id)),
      ...(isConnected ? [] : [unseen]),
      ...segments.map(({ id, size }, index) => ({ id, size, isFinal: index < segments.length - 1 })),
    ];
  }

  /** The line that stands for what is gone between the file that was read and the oldest that is left; none if nothing is. */
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

  /** What stands before it has been read. */
  forgetBefore(id: string): void {
    const at = this.#seen.findIndex((segment) => segment.id === id);
    if (at > 0) this.#seen = this.#seen.slice(at);
  }
}
