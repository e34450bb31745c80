import { readRecords, tailOf } from '../processes/output/log-records.ts';
import type { OutputLog } from '../processes/output/output-log.ts';

export const replayBytes = 100 * 1024;

/** Colours of the part that was cut off must not continue into the part that is shown. */
const ansiReset = '\x1b[0m';
const lineFeed = 0x0a;

/** The output that a new client sees first, and the offset of the rest: no byte between is lost or shown twice. */
export function replayOf(log: OutputLog): { bytes: Buffer; next: number } {
  const { end } = log.extent();
  const { at, cut } = tailOf(log, replayBytes, end);
  const pieces: Buffer[] = [];
  let next = at;
  // Stops at the current end: a terminal that prints without end would never be caught up with.
  while (next < end) {
    const found = readRecords(log, next);
    if (found === undefined) break;
    for (const record of found.records) pieces.push(record.at === at ? record.bytes.subarray(cut) : record.bytes);
    next = found.next;
  }
  const kept = cutAtLine(Buffer.concat(pieces), at > 0 || cut > 0);
  return { bytes: kept.length === 0 ? kept : Buffer.concat([Buffer.from(ansiReset), kept]), next };
}

/** The newest bytes, from the start of a line; without any line, from the start of a character. */
export function cutAtLine(bytes: Buffer, isCut: boolean, maxBytes = replayBytes): Buffer {
  if (!isCut && bytes.length <= maxBytes) return bytes;
  const from = Math.max(0, bytes.length - maxBytes);
  if (from > 0 && bytes[from - 1] === lineFeed) return bytes.subarray(from);
  const lineEnd = bytes.indexOf(lineFeed, from);
  if (lineEnd >= 0) return bytes.subarray(lineEnd + 1);
  let start = from;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
