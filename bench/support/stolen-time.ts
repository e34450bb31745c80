// Share of CPU time that the host took from this virtual machine. A figure with much stolen time
// describes the host, not Berth.
import { readFileSync } from 'node:fs';

export interface ProcessorTime {
  readonly stolen: number;
  readonly all: number;
}

/** Parses the first line of /proc/stat. Guest times, the last columns, are already part of the user times. */
export function parseProcessorTime(text: string): ProcessorTime {
  const [first = ''] = text.split('\n');
  const times = first.split(/\s+/).slice(1, 9).map(Number);
  return { stolen: times[7] ?? 0, all: times.reduce((sum, each) => sum + each, 0) };
}

export function stolenShare(before: ProcessorTime, after: ProcessorTime): number {
  const all = after.all - before.all;
  return all > 0 ? (after.stolen - before.stolen) / all : 0;
}

/** Figures of one measurement follow each other closely: fewer ticks than this lie between them. */
const leastTicks = 50;

const now = () => parseProcessorTime(readFileSync('/proc/stat', 'utf8'));

export class StolenTime {
  #before = now();
  #share = 0;

  /** Share that was stolen during the last measurement. */
  share(): number {
    const after = now();
    if (after.all - this.#before.all < leastTicks) return this.#share;
    this.#share = stolenShare(this.#before, after);
    this.#before = after;
    return this.#share;
  }
}
