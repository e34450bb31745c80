// The log `all`: both streams in the order of arrival, as records `u8 stream, u32 length, bytes`. A file begins with
// a record and ends with one, so its first byte is always a place to start from.
import type { OutputLog } from './output-log.ts';

type OutputRecord = { at: number; stream: 'stdout' | 'stderr'; bytes: Buffer };

export type Records = {
  /** Offset of the first record: later than requested when the bytes there are no longer kept. */
  from: number;
  records: OutputRecord[];
  next: number;
};

const headerBytes = 5;
const maxRecordBytes = 64 * 1024;

/** Length of the stored form. */
export const recordBytes = ({ bytes }: Pick<OutputRecord, 'bytes'>): number => headerBytes + bytes.length;

/** Enough for the longest record, so that every read makes progress. */
const readBytes = 4 * (headerBytes + maxRecordBytes);

/** Whole records from this offset on. Undefined when there is none yet. */
export function readRecords(log: OutputLog, from: number): Records | undefined {
  const stretch = log.read(from, readBytes);
  if (stretch === undefined) return undefined;
  const { records, size } = splitRecords(stretch.bytes, stretch.from);
  // Half a record that is never completed, because the disk was full. The next record is in another file.
  if (records.length === 0 && stretch.closed) return readRecords(log, stretch.from + stretch.bytes.length);
  if (records.length === 0)
    return stretch.from > from ? { from: stretch.from, records, next: stretch.from } : undefined;
  return { from: stretch.from, records, next: stretch.from + size };
}

function splitRecords(bytes: Buffer, at: number): { records: OutputRecord[]; size: number } {
  const records: OutputRecord[] = [];
  let size = 0;
  while (bytes.length - size >= headerBytes) {
    const end = size + headerBytes + bytes.readUInt32LE(size + 1);
    if (end > bytes.length) break;
    records.push({
      at: at + size,
      stream: bytes.readUInt8(size) === 2 ? 'stderr' : 'stdout',
      bytes: bytes.subarray(size + headerBytes, end),
    });
    size = end;
  }
  return { records, size };
}

/** The first offset at or after `atLeast` where a record begins or would begin. */
export function recordBoundary(log: OutputLog, atLeast: number): number {
  let at = log.fileStarts().findLast((start) => start <= atLeast) ?? log.fileStarts()[0] ?? 0;
  while (at < atLeast) {
    const found = readRecords(log, at);
    if (found === undefined) break;
    const reached = found.records.find((record) => record.at >= atLeast);
    if (reached !== undefined) return reached.at;
    at = found.next;
  }
  return at;
}

/** Offset where the last whole record ends at this moment. */
export function lastBoundary(log: OutputLog): number {
  return recordBoundary(log, Math.max(0, log.extent().end));
}

export type Tail = {
  at: number;
  /** Bytes of the record at `at` that lie before the tail. */
  cut: number;
};

/** Finds where the last `maxBytes` of output begin. Short records take up to six times the length of their output. */
export function tailOf(log: OutputLog, maxBytes: number, latest: number): Tail {
  const { start, end: written } = log.extent();
  const end = Math.min(written, latest);
  if (end - start <= maxBytes) return { at: start, cut: 0 };
  const begin = recordBoundary(log, Math.max(start, end - maxBytes * (headerBytes + 1) - maxRecordBytes));
  let surplus = -maxBytes;
  for (const record of recordsBetween(log, begin, end)) surplus += record.bytes.length;
  if (surplus <= 0) return { at: begin, cut: 0 };
  for (const record of recordsBetween(log, begin, end)) {
    if (surplus < record.bytes.length) return { at: record.at, cut: surplus };
    surplus -= record.bytes.length;
  }
  return { at: end, cut: 0 };
}

/** Stops at a fixed end: a process that prints faster than it is read must not keep its reader here. */
function* recordsBetween(log: OutputLog, from: number, end: number): Generator<OutputRecord> {
  let at = from;
  while (at < end) {
    const found = readRecords(log, at);
    if (found === undefined) return;
    yield* found.records.filter((record) => record.at < end);
    at = found.next;
  }
}
