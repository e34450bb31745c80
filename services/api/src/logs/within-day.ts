// Selects the lines that still fit into a workspace's daily log limit. Pure.
import { bytesPerMb } from '@berth/contract';
import type { LogLine } from '@berth/contract/node';

export interface DayShare {
  readonly kept: readonly LogLine[];
  /** Bytes of all lines, kept or dropped. */
  readonly bytes: number;
  readonly droppedBytes: number;
}

/** Fixed cost of a line, whatever its length. */
const lineBytes = 64;
/** A note is written for the first dropped line, and then one for every so many dropped bytes. */
const noteEveryBytes = 16 * bytesPerMb;

/** Keeps the first lines that fit. A note replaces one of the dropped lines and takes its number. */
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
