// Which lines a workspace may still have stored today. Pure.
import type { LogLine } from '@berth/contract';

export interface DayShare {
  readonly kept: readonly LogLine[];
  /** Of all lines, kept or not. */
  readonly bytes: number;
  readonly droppedBytes: number;
}

/** A line takes room however short it is. */
const lineBytes = 64;
/** A note for the first line that is dropped, and then one for each so many bytes. */
const noteEveryBytes = 16 * 1_048_576;

/** The first lines that fit. A note stands in the place of a line that was dropped, and has its number. */
export function withinDay(lines: readonly LogLine[], before: number, limit: number): DayShare {
  let bytes = 0;
  const kept: LogLine[] = [];
  const notes: LogLine[] = [];
  for (const line of lines) {
    const cost = Buffer.byteLength(line.text) + lineBytes;
    const droppedBefore = Math.max(0, before + bytes - limit);
    bytes += cost;
    const dropped = Math.max(0, before + bytes - limit);
    if (dropped === 0) kept.push(line);
    else if (droppedBefore === 0 || stepOf(dropped) > stepOf(droppedBefore))
      notes.push({ ...line, stream: 'stderr', text: noteOf(dropped, limit) });
  }
  return { kept: [...kept, ...notes], bytes, droppedBytes: bytes - bytesOf(kept) };
}

const stepOf = (dropped: number): number => Math.floor(dropped / noteEveryBytes);

const bytesOf = (lines: readonly LogLine[]): number =>
  lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + lineBytes, 0);

const noteOf = (dropped: number, limit: number): string =>
  `[This workspace has written more than ${limit} bytes of output today (api.logBytesPerDay): ${dropped} bytes were dropped so far. ` +
  'Output is stored again from 00:00 UTC. Write less, or ask the operator to raise the limit.]';
