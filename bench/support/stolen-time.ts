// Of a virtual machine the host may take CPU time away: what was measured meanwhile tells more of the host than of us.
import { readFileSync } from 'node:fs';

export interface ProcessorTime {
  readonly stolen: number;
  readonly all: number;
}

/** Of the first line of /proc/stat. Times of guests, which come last, are counted within those of users already. */
export function parseProcessorTime(text: string): ProcessorTime {
  const [first = ''] = text.split('\n');
  const times = first.split(/\s+/).slice(1, 9).map(Number);
  return { stolen: times[7] ?? 0, all: times.reduce((sum, each) => sum + each, 0) };
}

export function stolenShare(before: ProcessorTime, after: ProcessorTime): number {
  const all = after.all - before.all;
  return all > 0 ? (after.stolen - before.stolen) / all : 0;
}

/** Figures of one measurement come right after each other: less than this lies between them. */
const leastTicks = 50;

const now = () => parseProcessorTime(readFileSync('/proc/stat', 'utf8'));

export class StolenTime {
  #before = now();
  #share = 0;

  /** While what was measured last was measured. */
  share(): number {
    const after = now();
    if (after.all - this.#before.all < leastTicks) return this.#share;
    this.#share = stolenShare(this.#before, after);
    this.#before = after;
    return this.#share;
  }
}
