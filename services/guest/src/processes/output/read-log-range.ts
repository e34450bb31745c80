import type { ProcessLogRange } from '@berth/contract/guest';
import { PieceText } from './piece-text.ts';
import type { ProcessOutput } from './process-output.ts';

export type Range = Omit<ProcessLogRange, 'ended'>;

/** About `limit` bytes from an offset on; without an offset the newest ones. Ends where the next range can begin. */
export function readLogRange(
  output: ProcessOutput,
  stream: Range['stream'],
  offset: number | undefined,
  limit: number,
): Range {
  return stream === 'logs' ? rangeOfLogs(output, offset, limit) : rangeOfStream(output, stream, offset, limit);
}

function rangeOfLogs(output: ProcessOutput, offset: number | undefined, limit: number): Range {
  let cursor = offset === undefined ? output.tail(limit) : output.cursorNear(offset);
  const begin = cursor.at;
  const texts = new PieceText(cursor.cut > 0);
  const parts: string[] = [];
  while (cursor.at - begin < limit) {
    const found = output.read(cursor);
    if (found === undefined) break;
    parts.push(...texts.take(found.pieces).map(({ text }) => text));
    cursor = found.cursor;
  }
  parts.push(...texts.end().map(({ text }) => text));
  return { stream: 'logs', offset: begin, nextOffset: cursor.at, data: parts.join('') };
}

function rangeOfStream(
  output: ProcessOutput,
  stream: 'stdout' | 'stderr',
  offset: number | undefined,
  limit: number,
): Range {
  const wanted = offset ?? output.streamTail(stream, limit);
  const parts: Buffer[] = [];
  let begin = wanted;
  let at = wanted;
  while (at - begin < limit) {
    const found = output.readStream(stream, at, limit - (at - begin));
    if (found === undefined) break;
    // A gap in the middle belongs to the next range, whose offset shows it.
    if (found.from > at && parts.length > 0) break;
    if (parts.length === 0) begin = found.from;
    parts.push(found.bytes);
    at = found.next;
  }
  const bytes = withoutHalfCharacter(Buffer.concat(parts));
  return { stream, offset: begin, nextOffset: begin + bytes.length, data: bytes.toString('utf8') };
}

const characterStart = 0xc0;
const maxCharacterBytes = 4;

/** Leaves out a character that this range would cut: the next range begins with it. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back < maxCharacterBytes && back < bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < characterStart) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
